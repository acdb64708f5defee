import { messageOf, shortName, StalewatchError } from "../base/index.ts";
import { ApiError, isForbidden, isNotFound } from "../kube/index.ts";
import { type Resource, resourceName } from "../resources/index.ts";
import type { BeatOutcome } from "./heartbeat-object.ts";

/**
 * `starting`: no beat yet. `beating`. `standby`: another process beats, or leads. `refused`: the cluster does not allow it; tried again,
 * ever more rarely. `failing`: the last beat was not answered. `disturbed`: somebody deleted or changed the object. `withdrawn`: the
 * object could have done harm and was removed, for good. `stopped`.
 */
type HeartbeatStateName =
  | "starting"
  | "beating"
  | "standby"
  | "refused"
  | "failing"
  | "disturbed"
  | "withdrawn"
  | "stopped";

/** How a heartbeat fares; reason and remedy are one line each. */
export interface HeartbeatState {
  readonly state: HeartbeatStateName;
  readonly reason?: string;
  readonly remedy?: string;
}

interface Place {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
}

const WEBHOOK = /admission webhook "([^"]+)" denied|failed calling webhook "([^"]+)"/;
const POLICY = /ValidatingAdmissionPolicy '([^']+)'/;
const LEAVE_OUT = "or leave --heartbeat-interval at 0";

/** What the outcome of a beat says of the heartbeat. */
export function stateAfter(outcome: BeatOutcome, { resource, namespace, name }: Place): HeartbeatState {
  const object = `${resource.kind} ${namespace}/${name}`;
  switch (outcome.is) {
    case "written":
      return { state: "beating" };
    case "standby":
      return {
        state: "standby",
        reason: `the ${object} is kept by ${shortName(outcome.holder) || "somebody who does not say who"}`,
        remedy: "nothing, if that is a replica; else give one of the two a namespace of its own",
      };
    case "occupied":
      return {
        state: "refused",
        reason: `a ${object} is there that is no heartbeat`,
        remedy: `give it another name, ${LEAVE_OUT}`,
      };
    case "disturbed":
      return {
        state: "disturbed",
        reason: `somebody ${outcome.how} the ${object}`,
        remedy: `keep clean-up jobs and controllers away from it, ${LEAVE_OUT}`,
      };
    default:
      return {
        state: "withdrawn",
        reason: `the ${object} was removed: ${outcome.why}`,
        remedy: `exempt the namespace ${namespace} from that, and restart this process; ${LEAVE_OUT}`,
      };
  }
}

/** What a failed call says of it. `verbs` are all that a heartbeat needs. */
export function stateAfterFailure(thrown: unknown, place: Place, verbs: readonly string[]): HeartbeatState {
  const reason = withoutRemedy(thrown);
  const remedy = thrown instanceof ApiError ? remedyFor(thrown, place, verbs) : undefined;
  if (remedy !== undefined) return { state: "refused", reason, remedy };
  const own = thrown instanceof StalewatchError && thrown.remedy !== "" ? thrown.remedy : undefined;
  return { state: "failing", reason, remedy: own ?? "nothing at first: it is tried again" };
}

/** Undefined where trying again is all that there is to do. */
function remedyFor(error: ApiError, { resource, namespace }: Place, verbs: readonly string[]): string | undefined {
  const { message, status } = error;
  const webhook = WEBHOOK.exec(message);
  if (webhook) return `exempt the namespace ${namespace} in the webhook ${webhook[1] ?? webhook[2]}, ${LEAVE_OUT}`;
  const policy = POLICY.exec(message);
  if (policy) return `exempt the namespace ${namespace} from the policy ${policy[1]}, ${LEAVE_OUT}`;
  if (message.includes("exceeded quota"))
    return `allow one more in the quota of the namespace ${namespace}, ${LEAVE_OUT}`;
  if (message.includes("being terminated")) return "run it in a namespace that stays";
  if (isForbidden(error)) return `add to a Role in ${namespace}: ${ruleFor(resource, verbs)}`;
  if (isNotFound(error)) return `check that the namespace ${namespace} exists and ${resourceName(resource)} are served`;
  const isTemporary = status === 401 || status === 409 || status === 429;
  return status >= 400 && status < 500 && !isTemporary
    ? `read what it refuses and exempt the namespace ${namespace}, ${LEAVE_OUT}`
    : undefined;
}

/** As a Role has it, in one line. */
export function ruleFor({ group, resource }: Pick<Resource, "group" | "resource">, verbs: readonly string[]): string {
  const quoted = verbs.map((verb) => `"${verb}"`).join(", ");
  return `{apiGroups: ["${group}"], resources: ["${resource}"], verbs: [${quoted}]}`;
}

function withoutRemedy(thrown: unknown): string {
  const message = messageOf(thrown);
  if (!(thrown instanceof StalewatchError) || thrown.remedy === "") return message;
  return message.replace(`: ${thrown.remedy}`, "");
}
