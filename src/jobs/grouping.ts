import { compareText } from "../base/index.ts";
import { keyOf } from "../resources/index.ts";
import type { Finding } from "./finding.ts";

/** One cause that holds up several objects, so that it can be one page. */
export interface FindingGroup {
  /** `webhook deny.example.com`, `node worker-3`. */
  readonly cause: string;
  /** Kind and reason of the finding that began first. */
  readonly kind: string;
  readonly reason: string;
  /** When the first of them began, RFC 3339. */
  readonly since: string;
  readonly members: number;
  /** `namespace/name` of the first 20, the oldest first. */
  readonly objects: readonly string[];
}

const FEWEST_MEMBERS = 2;
const MOST_OBJECTS = 20;

/** The largest first. What is only watched or silenced is no member. */
export function groupsOf(findings: Iterable<Finding>): readonly FindingGroup[] {
  const byCause = new Map<string, Finding[]>();
  for (const finding of findings) {
    if (finding.cause === undefined || finding.state === "watching" || finding.silencedUntil !== undefined) continue;
    const members = byCause.get(finding.cause);
    if (members) members.push(finding);
    else byCause.set(finding.cause, [finding]);
  }
  return [...byCause]
    .filter(([, members]) => members.length >= FEWEST_MEMBERS)
    .map(([cause, members]) => groupOf(cause, members))
    .toSorted((a, b) => b.members - a.members || compareText(a.since, b.since) || compareText(a.cause, b.cause));
}

function groupOf(cause: string, members: readonly Finding[]): FindingGroup {
  const oldestFirst = members.toSorted((a, b) => compareText(a.since, b.since) || compareText(nameOf(a), nameOf(b)));
  const [{ kind, reason, since }] = oldestFirst as [Finding];
  return {
    cause,
    kind,
    reason,
    since,
    members: members.length,
    objects: oldestFirst.slice(0, MOST_OBJECTS).map(nameOf),
  };
}

function nameOf({ object }: Finding): string {
  return keyOf(object);
}
