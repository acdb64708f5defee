import { isDeepStrictEqual } from "node:util";
import { formatDuration } from "../../base/index.ts";
import type { FieldCause, KindRules } from "../storage/kind.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { defaults, type Fields, fieldsOf, immutable, itemsOf, mapAt, numberOf, required, textOf } from "./fields.ts";
import { defaultPodSpec, validatePodSpec } from "./pod-rules.ts";

/** Unset limits become the defaults of batch/v1 (pkg/apis/batch/v1/defaults.go). */
export function defaultJobSpec(spec: Fields): void {
  if (spec["completions"] === undefined && spec["parallelism"] === undefined) spec["completions"] = 1;
  const perIndex = spec["backoffLimitPerIndex"] !== undefined;
  defaults(spec, {
    parallelism: 1,
    backoffLimit: perIndex ? 2 ** 31 - 1 : 6,
    completionMode: "NonIndexed",
    suspend: false,
    podReplacementPolicy: spec["podFailurePolicy"] === undefined ? "TerminatingOrFailed" : "Failed",
    manualSelector: false,
  });
  const podSpec = mapAt(mapAt(spec, "template"), "spec");
  const restartPolicy = podSpec["restartPolicy"];
  defaultPodSpec(podSpec);
  if (restartPolicy === undefined) delete podSpec["restartPolicy"];
}

/** A Job finds its pods by its own uid, unless the user chose a selector. */
function prepareCreate(job: Fields, uid: string): void {
  const spec = mapAt(job, "spec");
  defaultJobSpec(spec);
  if (spec["manualSelector"] === true) return;
  const name = textOf(fieldsOf(job["metadata"])["name"]);
  spec["selector"] = { matchLabels: { "batch.kubernetes.io/controller-uid": uid } };
  const labels = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
  };
  const templateMeta = mapAt(mapAt(spec, "template"), "metadata");
  Object.assign(mapAt(templateMeta, "labels"), labels);
  // The API server copies a template's labels to a Job that has none of its own.
  const meta = fieldsOf(job["metadata"]);
  if (Object.keys(fieldsOf(meta["labels"])).length === 0) meta["labels"] = { ...fieldsOf(templateMeta["labels"]) };
}

function validate(job: StoredObject, previous: StoredObject | undefined): FieldCause[] {
  const spec = fieldsOf(job["spec"]);
  const causes = validateJobSpec(spec, "spec");
  const before = fieldsOf(previous?.["spec"]);
  if (previous && before["suspend"] !== true && !isDeepStrictEqual(spec["template"], before["template"])) {
    causes.push(immutable("spec.template", spec["template"]));
  }
  for (const field of ["selector", "completionMode"]) {
    if (previous && !isDeepStrictEqual(spec[field], before[field]))
      causes.push(immutable(`spec.${field}`, spec[field]));
  }
  return causes;
}

export function validateJobSpec(spec: Fields, path: string): FieldCause[] {
  const podSpec = fieldsOf(fieldsOf(spec["template"])["spec"]);
  const causes = validatePodSpec(podSpec, `${path}.template.spec`);
  if (podSpec["restartPolicy"] === undefined) {
    causes.push(required(`${path}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"'));
  }
  return causes;
}

function statusWord(job: StoredObject): string {
  const status = fieldsOf(job["status"]);
  const met = itemsOf(status["conditions"]).filter((condition) => condition["status"] === "True");
  const has = (type: string): boolean => met.some((condition) => condition["type"] === type);
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (job.metadata.deletionTimestamp) return "Terminating";
  if (has("Suspended")) return "Suspended";
  if (has("FailureTarget")) return "FailureTarget";
  return has("SuccessCriteriaMet") ? "SuccessCriteriaMet" : "Running";
}

function completions(job: StoredObject): string {
  const spec = fieldsOf(job["spec"]);
  const succeeded = numberOf(fieldsOf(job["status"])["succeeded"], 0);
  if (spec["completions"] !== undefined) return `${succeeded}/${numberOf(spec["completions"], 0)}`;
  const parallelism = numberOf(spec["parallelism"], 0);
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function duration(job: StoredObject, now: number): string {
  const { startTime, completionTime } = fieldsOf(job["status"]);
  if (startTime === undefined) return "";
  const end = completionTime === undefined ? now : Date.parse(textOf(completionTime));
  return formatDuration(end - Date.parse(textOf(startTime)));
}

export const jobRules: KindRules = {
  prepareCreate,
  validate,
  orphansByDefault: true,
  selectable: { "status.successful": (job) => String(numberOf(fieldsOf(job["status"])["succeeded"], 0)) },
  columns: [
    { name: "Status", cell: statusWord },
    { name: "Completions", cell: completions },
    { name: "Duration", cell: duration },
  ],
};
