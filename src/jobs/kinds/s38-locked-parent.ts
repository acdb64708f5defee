import type { DeepReadonly } from "../../resources/index.ts";
import { HOLDER_GRACE_MS, stateOfPods } from "../lease-holder.ts";
import type { ParentRules } from "../parents/parent-rules.ts";
import { conditionSince, conditionsOf, type Parent } from "../parents/parent.ts";
import { type Since, sinceOf } from "../since.ts";
import type { StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";
import { heldByTheDeadPage } from "./s38-page.ts";

/** Nobody needs more of a message than this to find the lock in it. */
const LONGEST_MESSAGE = 4_000;

const LOCKED = /StateLocked|LockOrphaned|acquiring the state lock/i;

/** As Terraform prints a lock: "Who: root@pod-name" and "Created: 2026-01-02 03:04:05.123 +0000 UTC". */
const WHO = /\bWho:\s*\S{0,253}?@([a-z0-9][a-z0-9.-]{0,252})/;
const CREATED = /\bCreated:\s*(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?(?: ?\+0000(?: UTC)?|Z)/;

interface Lock extends Since {
  readonly pod: string;
  readonly text: string;
}

/** A parent that tells of a state lock which its own runner cannot get. */
export function lockedParent(rules: ParentRules): StuckKind<Parent> {
  return {
    ...heldByTheDeadPage,
    look(parent, world, now) {
      const lock = lockOf(parent);
      if (!lock || now - lock.sinceMs <= HOLDER_GRACE_MS) return undefined;
      const { namespace = "", name } = parent.metadata;
      const state = stateOfPods([lock.pod], namespace, lock, world);
      if (state === undefined || state === "alive") return undefined;
      const missing = {
        reason: "HolderMissing",
        sinceMs: lock.sinceMs,
        sinceSource: lock.sinceSource,
        why: `there is no pod ${lock.pod}, which holds it`,
      };
      const dead = state === "none" ? missing : state;
      return {
        reason: dead.reason,
        sinceMs: dead.sinceMs,
        sinceSource: dead.sinceSource,
        message: `The state of ${nameOf(rules.resource.kind, parent)} is locked and nobody lets go: ${dead.why}`,
        evidence: [quoted(lock.text)],
        next: [
          command`kubectl -n ${namespace} describe ${rules.resource.resource} ${name}`,
          command`kubectl -n ${namespace} get pod ${lock.pod} -o wide`,
        ],
      };
    },
  };
}

function lockOf(parent: DeepReadonly<Parent>): Lock | undefined {
  for (const condition of conditionsOf(parent)) {
    const { type, reason = "", message = "" } = condition;
    const text = `${type} ${reason} ${message}`.slice(0, LONGEST_MESSAGE);
    const pod = LOCKED.test(text) ? WHO.exec(text)?.[1] : undefined;
    const [, day, time] = CREATED.exec(text) ?? [];
    const created = sinceOf(`${day}T${time}Z`, "lock: Created") ?? conditionSince(condition);
    if (pod !== undefined && created) return { ...created, pod, text: message };
  }
  return undefined;
}
