import { z } from "zod";
import { duration, type Flag, flag, list, optional, text, yesOrNo } from "./flag.ts";
import { clusterFlags, judgeFlags } from "./run-flags.ts";

/** RFC 3339 with its zone, as wall time in milliseconds. */
export const time: z.ZodType<number, string> = z
  .string()
  .refine(
    (text) => !/T\d{2}:\d{2}:\d{2}(\.\d+)?$/.test(text),
    "must name its time zone, as 2026-01-02T03:04:05Z for UTC",
  )
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/, "must be a time as 2026-01-02T03:04:05Z")
  .transform((text) => Date.parse(text))
  .refine((ms) => !Number.isNaN(ms), "must be a time of the calendar");

/** Of commands that can ask a running sidecar instead of the cluster. */
export const serverFlags: {
  readonly server: Flag<string | undefined>;
  readonly "request-timeout": Flag<number>;
} = {
  server: optional(
    { value: "URL", help: "ask the sidecar that serves its status there, such as http://127.0.0.1:8080" },
    text,
  ),
  "request-timeout": flag({ value: "DURATION", standard: "30s", help: "wait this long for an answer" }, duration),
};

/** Which objects count, for commands that ask about many. */
export const scopeFlags: {
  readonly namespace: Flag<readonly string[]>;
  readonly "all-namespaces": Flag<boolean>;
} = {
  namespace: list({ short: "n", value: "NAMESPACE", help: "only what is in this namespace", otherwise: "all" }, text),
  "all-namespaces": flag(
    { short: "A", standard: "false", help: "all namespaces, whatever STALEWATCH_NAMESPACE says" },
    yesOrNo,
  ),
};

export const jobsFlags: typeof scopeFlags &
  typeof serverFlags &
  typeof judgeFlags & {
    readonly filename: Flag<readonly string[]>;
    readonly kubeconfig: Flag<string | undefined>;
    readonly context: Flag<string | undefined>;
    readonly all: Flag<boolean>;
    readonly at: Flag<number | undefined>;
    readonly "exit-code": Flag<boolean>;
  } = {
  filename: list(
    { short: "f", value: "FILE", help: "read objects from a file, a folder (a must-gather) or - instead of a cluster" },
    text,
  ),
  ...scopeFlags,
  all: flag({ standard: "false", help: "also what is younger than its warning age" }, yesOrNo),
  at: optional({ value: "TIME", help: "judge as of this time, of objects from files", otherwise: "now" }, time),
  ...judgeFlags,
  "exit-code": flag({ standard: "false", help: "exit with 10 when something is stuck" }, yesOrNo),
  kubeconfig: clusterFlags.kubeconfig,
  context: clusterFlags.context,
  ...serverFlags,
};
