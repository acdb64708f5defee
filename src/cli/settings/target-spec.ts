import { z } from "zod";
import { defined, oneLine, StalewatchError } from "../../base/index.ts";
import { isLoopback } from "../../http/index.ts";
import type { TargetSpec } from "../../sidecar/index.ts";
import { didYouMean } from "../nearest.ts";

const NAME = /^[A-Za-z0-9](?:[-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;

/** Reads `NAME=URL`. Errors: `BAD_TARGET`, which quote no URL: it may hold a password. */
export function parseTarget(text: string): Pick<TargetSpec, "name" | "url"> {
  const at = text.indexOf("=");
  if (at < 1) bad('"NAME=URL" is what a target needs', "write it as kcm=https://127.0.0.1:10257/metrics");
  return nameAndUrl(text.slice(0, at), text.slice(at + 1));
}

const path = z.string().min(1, "needs a path").optional();
const entrySchema = z.strictObject({
  name: z.string("needs a text"),
  url: z.string("needs a text"),
  scope: z.enum(["all", "unknown"], "must be all or unknown").optional(),
  "token-file": path,
  "ca-file": path,
  "cert-file": path,
  "key-file": path,
  "insecure-skip-tls-verify": z.boolean("must be true or false").optional(),
});

/** Reads one map of `targets:` in the configuration file, as JSON. Errors: `BAD_TARGET`. */
export function parseTargetEntry(json: string): TargetSpec {
  const entry: unknown = JSON.parse(json);
  const read = entrySchema.safeParse(entry);
  if (!read.success) return refuse(entry, read.error.issues[0]);
  const { name, url, scope, ...more } = read.data;
  return checkTarget({
    ...nameAndUrl(name, url),
    ...defined({
      scope,
      tokenFile: more["token-file"],
      caFile: more["ca-file"],
      certFile: more["cert-file"],
      keyFile: more["key-file"],
      insecureSkipTlsVerify: more["insecure-skip-tls-verify"],
    }),
  });
}

function refuse(entry: unknown, issue: z.core.$ZodIssue | undefined): never {
  const name = typeof entry === "object" && entry !== null && "name" in entry ? oneLine(String(entry.name)) : "targets";
  const keys = Object.keys(entrySchema.shape);
  if (issue?.code === "unrecognized_keys") {
    const [unknown = ""] = issue.keys;
    bad(
      `"${name}" has the unknown key ${oneLine(unknown)}`,
      didYouMean(unknown, keys, `the keys are ${keys.join(", ")}`),
    );
  }
  const [key] = issue?.path ?? [];
  if (key === undefined) bad('"targets" needs a map for each target', "write its name: and its url:");
  bad(`"${name}": ${String(key)} ${issue?.message}`, "see docs/targets.md for an example");
}

/** What can only be said of a target as a whole. Errors: `BAD_TARGET`. */
export function checkTarget(spec: TargetSpec): TargetSpec {
  const { name, url, tokenFile, certFile, keyFile } = spec;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    bad(`"${name}" has one of certificate and key without the other`, "give the cert-file and the key-file");
  }
  if (tokenFile !== undefined && url.protocol === "http:" && !isLocal(url)) {
    bad(`"${name}" would send its token in the clear`, "use an https:// URL, or leave the token-file out");
  }
  return spec;
}

/** Errors: `BAD_TARGET` where two have one name. */
export function checkNames(specs: readonly TargetSpec[]): readonly TargetSpec[] {
  const names = specs.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) bad(`"${twice}" is the name of two targets`, "give each a name of its own");
  return specs;
}

function nameAndUrl(name: string, text: string): Pick<TargetSpec, "name" | "url"> {
  const shown = oneLine(name);
  if (!NAME.test(name)) bad(`"${shown}" is no name for a target`, "use up to 63 letters, digits, -, _ and .");
  if (name === "self") bad('"self" is the name of this process', "give the target another one");
  const url = URL.parse(text);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    bad(`"${shown}" has no http or https URL`, `write it as ${shown}=https://HOST:PORT/metrics`);
  }
  if (url.username !== "" || url.password !== "") {
    bad(`"${shown}" has credentials in its URL`, "put a token into a file and name that with --target-token-file");
  }
  if (url.pathname === "/") url.pathname = "/metrics";
  url.hash = "";
  return { name, url };
}

function isLocal({ hostname }: URL): boolean {
  return isLoopback({ host: hostname.replace(/^\[|\]$/g, ""), port: 0 });
}

function bad(what: string, remedy: string): never {
  throw new StalewatchError("BAD_TARGET", what, remedy);
}
