import { defined, StalewatchError } from "../../base/index.ts";
import type { TargetSpec } from "../../sidecar/index.ts";
import { UsageError } from "../failure.ts";
import { duration, type Flag, flag, from, list, maps, optional, text, type Values, yesOrNo } from "./flag.ts";
import { checkNames, checkTarget, parseTarget, parseTargetEntry } from "./target-spec.ts";

/** Whose caches are judged beside our own. */
export const targetFlags: {
  readonly target: Flag<readonly Pick<TargetSpec, "name" | "url">[]>;
  readonly "target-interval": Flag<number>;
  readonly "target-token-file": Flag<string | undefined>;
  readonly "target-ca-file": Flag<string | undefined>;
  readonly "target-cert-file": Flag<string | undefined>;
  readonly "target-key-file": Flag<string | undefined>;
  readonly "target-insecure-skip-tls-verify": Flag<boolean>;
  readonly targets: Flag<readonly TargetSpec[]>;
} = {
  target: list(
    { value: "NAME=URL", help: "judge the caches that this process publishes at its /metrics too" },
    from(parseTarget),
  ),
  "target-interval": flag({ value: "DURATION", standard: "15s", help: "read each target this often" }, duration),
  "target-token-file": optional(
    { value: "FILE", help: "send the token in this file, read anew each time, to every --target" },
    text,
  ),
  "target-ca-file": optional(
    {
      value: "FILE",
      help: "trust the certificates of every --target by this CA",
      otherwise: "the CAs that Node knows",
    },
    text,
  ),
  "target-cert-file": optional({ value: "FILE", help: "client certificate for every --target" }, text),
  "target-key-file": optional({ value: "FILE", help: "key of that certificate" }, text),
  "target-insecure-skip-tls-verify": flag(
    { standard: "false", help: "true believes whoever answers for a --target: no check of its certificate" },
    yesOrNo,
  ),
  targets: maps({ help: "targets with files of their own: a list of maps (docs/targets.md)" }, from(parseTargetEntry)),
};

/** All targets of the flags and of the file. Errors: `USAGE`. */
export function targetSpecs(settings: Values<typeof targetFlags>): readonly TargetSpec[] {
  const shared = defined({
    tokenFile: settings["target-token-file"],
    caFile: settings["target-ca-file"],
    certFile: settings["target-cert-file"],
    keyFile: settings["target-key-file"],
    insecureSkipTlsVerify: settings["target-insecure-skip-tls-verify"],
  });
  try {
    const flagged = settings.target.map((target) => checkTarget({ ...target, ...shared }));
    return checkNames([...flagged, ...settings.targets]);
  } catch (error) {
    if (!(error instanceof StalewatchError)) throw error;
    throw new UsageError(`--target: ${error.message}`, undefined, { cause: error });
  }
}
