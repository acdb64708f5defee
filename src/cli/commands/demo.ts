import type { Command } from "commander";
import { defined } from "../../base/index.ts";
import { stopOnSignals } from "../../controller/index.ts";
import { runDemo } from "../../demo/index.ts";
import type { Action, Context } from "../command.ts";
import { EXIT } from "../failure.ts";
import { logTo } from "../log-to.ts";
import { declareFlags } from "../settings/declare.ts";
import { duration, optional } from "../settings/flag.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { listenerFlags, outputFlags } from "../settings/run-flags.ts";
import { stalewatchVersion } from "../version.ts";

const ON_A_FREE_PORT = "127.0.0.1:0";

/** As for `run`, but quiet and on free ports: one reads the story. */
const demoFlags = {
  for: optional({ value: "DURATION", help: "end by itself after this long", otherwise: "until Ctrl-C" }, duration),
  "metrics-bind-address": onFreePort("metrics-bind-address"),
  "health-probe-bind-address": onFreePort("health-probe-bind-address"),
  "status-bind-address": onFreePort("status-bind-address"),
  "log-level": { ...outputFlags["log-level"], about: { ...outputFlags["log-level"].about, standard: "error" } },
  "log-format": outputFlags["log-format"],
};

function onFreePort<const N extends keyof typeof listenerFlags>(name: N): (typeof listenerFlags)[N] {
  return { ...listenerFlags[name], about: { ...listenerFlags[name].about, standard: ON_A_FREE_PORT } };
}

export function configure(command: Command, { terminal, signal }: Context): Action {
  declareFlags(command, demoFlags);
  command.addHelpText("after", "\nExample:\n  stalewatch demo --for 40s");
  return async (options) => {
    const settings = await resolveSettings(demoFlags, { options, env: terminal.env });
    await runDemo({
      ...defined({ forMs: settings.for }),
      listen: {
        metrics: settings["metrics-bind-address"] ?? ON_A_FREE_PORT,
        health: settings["health-probe-bind-address"],
        status: settings["status-bind-address"],
      },
      version: stalewatchVersion(),
      log: logTo(terminal, settings),
      signal: signal ?? stopOnSignals(),
      write: (text) => terminal.out(text),
      columns: terminal.columns,
      colour: terminal.colour,
    });
    return EXIT.fine;
  };
}
