import type { Command } from "commander";
import type { CachesAnswer } from "../../http/index.ts";
import type { Action, Context } from "../command.ts";
import { EXIT, UsageError } from "../failure.ts";
import { lagFromServer } from "../lag-from-server.ts";
import { lagTable } from "../lag-table.ts";
import { print, withOutput } from "../print.ts";
import { declareFlags } from "../settings/declare.ts";
import type { Values } from "../settings/flag.ts";
import { serverFlags } from "../settings/jobs-flags.ts";
import { lagFlags } from "../settings/lag-flags.ts";
import { refuseWithServer } from "../settings/refuse-with-server.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { runFlags } from "../settings/run-flags.ts";
import { targetSpecs } from "../settings/target-flags.ts";

const EXAMPLES = `
Examples:
  stalewatch lag --target kcm=https://127.0.0.1:10257 --target-token-file token
  stalewatch lag --server http://127.0.0.1:8080 -o json --exit-code`;

export function configure(command: Command, context: Context): Action {
  declareFlags(command, lagFlags);
  withOutput(command).addHelpText("after", EXAMPLES);
  return async (options) => {
    const { terminal } = context;
    const settings = await resolveSettings(lagFlags, { options, env: terminal.env, fileTable: runFlags });
    const answer = await answerOf({ settings, options }, context);
    await print(terminal, options["output"], answer, () => lagTable(answer, terminal));
    const isLate = answer.caches.some(({ state }) => state === "lagging" || state === "stalled");
    return settings["exit-code"] && isLate ? EXIT.found : EXIT.fine;
  };
}

interface Asked {
  readonly settings: Values<typeof lagFlags>;
  /** What stands on the command line. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** All that a sidecar which is asked leaves to its caller. */
const WITH_SERVER: ReadonlySet<string> = new Set([...Object.keys(serverFlags), "exit-code"]);

async function answerOf({ settings, options }: Asked, context: Context): Promise<CachesAnswer> {
  const { server } = settings;
  const targets = targetSpecs(settings);
  if (server === undefined) {
    // Who asks a sidecar needs nothing of what talks to a cluster, which takes a second to load.
    const { lagFromCluster } = await import("../lag-from-cluster.ts");
    return lagFromCluster(settings, targets, context);
  }
  if (settings.target.length > 0) {
    throw new UsageError("--target and --server cannot both be given", "give the target to the sidecar");
  }
  refuseWithServer(
    options,
    Object.keys(lagFlags).filter((name) => !WITH_SERVER.has(name)),
  );
  return lagFromServer({ server, timeoutMs: settings["request-timeout"], signal: context.signal });
}
