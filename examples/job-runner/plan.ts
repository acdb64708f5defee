import {
  DriftCheck,
  type Due,
  GateRequeue,
  HealthCheck,
  type Interval,
  nextLook,
  type NextLook,
  type OpBackoff,
  RefreshAfterApply,
  RetryPolicy,
  standardSchedules,
} from "stalewatch";
import { notReady, type Readiness } from "./conditions.ts";
import { APPROVED, inputsOf, type Op, type Run } from "./terraform-run.ts";

/** What to do next, and how things are until then. */
export interface Plan {
  readonly next: NextLook | undefined;
  readonly readiness: Readiness;
}

/** What plans ask for besides the built-in intervals. */
export const intervals: readonly Interval<"DriftCheck" | "HealthCheck" | "RefreshAfterApply">[] = [
  DriftCheck,
  HealthCheck,
  RefreshAfterApply,
];

const schedules = standardSchedules();
const retries = new RetryPolicy();

/** The plan for a run none of whose Jobs runs. Pure: whatever it needs to know is in the object. */
export function planOf(run: Run, now: number): Plan {
  const { metadata, spec, status = {} } = run;
  if (!metadata.ownerReferences?.length) return waitingForOwner(now);
  const inputs = inputsOf(run);
  const isChanged = status.appliedInputs !== inputs;
  const isApproved = spec.approval !== "Manual" || metadata.annotations?.[APPROVED] === inputs;
  const failing = backoffOf(run, "apply", now);
  const next = nextLook(
    {
      wants: isChanged && isApproved ? ["apply"] : [],
      inputChangeWaits: isChanged && (!isApproved || failing !== undefined),
      dues: status.appliedInputs === undefined ? [] : duesOf(run, now),
      backoffs: [failing, backoffOf(run, "refresh", now), backoffOf(run, "drift", now)],
    },
    now,
  );
  return { next, readiness: readinessOf(inputs, { isChanged, isApproved, failures: failing?.failures ?? 0 }) };
}

/** The plan for a run that is to go, and whose infrastructure has to go first. */
export function destroyPlanOf(run: Run, now: number): Plan {
  if (!run.metadata.ownerReferences?.length) return waitingForOwner(now);
  const failing = backoffOf(run, "destroy", now);
  const next = nextLook({ wants: ["destroy"], dues: [], backoffs: [failing] }, now);
  const message = failing ? `destroy has failed ${failing.failures} times` : "what it stands for is taken down";
  return { next, readiness: notReady("Deleting", message) };
}

function waitingForOwner(now: number): Plan {
  const readiness = notReady("WaitingForOwner", "it has no owner reference");
  return { next: nextLook({ waitsFor: GateRequeue, dues: [] }, now), readiness };
}

function readinessOf(
  inputs: string,
  { isChanged, isApproved, failures }: { isChanged: boolean; isApproved: boolean; failures: number },
): Readiness {
  if (!isChanged) return { status: "True", reason: "UpToDate", message: `inputs ${inputs} are applied` };
  if (!isApproved) return notReady("AwaitingApproval", `annotate it with ${APPROVED}=${inputs}`);
  if (failures > 0) return notReady("BackingOff", `apply has failed ${failures} times`);
  return notReady("Applying", `inputs ${inputs} are to be applied`);
}

/** What falls due by the clock. */
function duesOf({ metadata: { uid }, spec: { drift, health }, status = {} }: Run, now: number): (Due | undefined)[] {
  const { succeeded = {} } = status;
  const since = timeOf(succeeded.apply);
  const refreshed = { uid, last: timeOf(succeeded.refresh), since };
  return [
    schedules.drift.due({ uid, last: timeOf(succeeded.drift), since, everyMs: msOf(drift?.intervalSeconds) }, now),
    health && schedules.health.due({ ...refreshed, everyMs: msOf(health.intervalSeconds) }, now),
    health && schedules.refreshAfterApply.due(refreshed, now),
  ];
}

function backoffOf({ status }: Run, op: Op, now: number): OpBackoff | undefined {
  const runs = (status?.history ?? []).map((past) => ({ ...past, finishedAt: Date.parse(past.finishedAt) }));
  return retries.backoff(op, runs, now);
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

function msOf(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}
