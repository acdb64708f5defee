import type { ParentRules } from "../parents/parent-rules.ts";
import { conditionSince, type Parent, waitOf } from "../parents/parent.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";
import { queuedPage } from "./s09-page.ts";

/** A parent that says what it waits for, named by the interval after which its controller looks again. */
export function parentWaits(rules: ParentRules): StuckKind<Parent> {
  return {
    ...queuedPage,
    look(parent) {
      const wait = waitOf(parent, rules);
      const since = wait && conditionSince(wait.condition);
      if (!since) return undefined;
      const { namespace = "", name } = parent.metadata;
      const { type, status, message } = wait.condition;
      return {
        reason: "Waiting",
        ...since,
        message: `${nameOf(rules.resource.kind, parent)} waits, ${quoted(wait.reason)}, and looks again after its ${quoted(wait.interval)}`,
        evidence: [`${quoted(type)}=${quoted(status)} (${quoted(wait.reason)}): ${quoted(message)}`],
        next: [command`kubectl -n ${namespace} describe ${rules.resource.resource} ${name}`],
        queued: true,
      };
    },
  };
}
