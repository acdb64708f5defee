import { type Field, resources, type Resource, type Shape } from "../../resources/index.ts";

type Type = Field["type"];

const one = (name: string, number: number, type: Type, more: Partial<Field> = {}): Field => ({
  name,
  number,
  type,
  repeated: false,
  pointer: false,
  ...more,
});
const text = (name: string, number: number): Field => one(name, number, "string");
const texts = (name: string, number: number): Field => one(name, number, "string", { repeated: true });
const nested = (name: string, number: number, shape: Shape<unknown>): Field =>
  one(name, number, "message", { pointer: true, shape });
const nestedAll = (name: string, number: number, shape: Shape<unknown>): Field =>
  one(name, number, "message", { repeated: true, shape });
const shapeOf = (...fields: Field[]): Shape<unknown> => ({ fields });

/** What `kept` keeps, and more: the shape of a nested field named in `deeper` is extended too. */
function extended(
  kept: Shape<unknown>,
  more: readonly Field[],
  deeper: Record<string, Shape<unknown>> = {},
): Shape<unknown> {
  const fields = kept.fields.map((field) => {
    const shape = deeper[field.name];
    return shape ? { ...field, shape } : field;
  });
  return { fields: [...fields, ...more] };
}

function nestedIn(shape: Shape<unknown>, name: string): Shape<unknown> {
  const found = shape.fields.find((field) => field.name === name)?.shape;
  if (!found) throw new TypeError(`no message ${name}`);
  return found;
}

const kept = (resource: Resource<never>): Shape<unknown> => resource.shape as Shape<unknown>;

const selectorShape = shapeOf(one("matchLabels", 1, "map"));
const envShape = shapeOf(text("name", 1), text("value", 2));
const containerShape = shapeOf(
  text("name", 1),
  text("image", 2),
  texts("command", 3),
  texts("args", 4),
  nestedAll("env", 7, envShape),
  text("terminationMessagePath", 13),
  text("imagePullPolicy", 14),
  text("terminationMessagePolicy", 20),
  one("restartPolicy", 24, "string", { pointer: true }),
);
const podSpecMore: Field[] = [text("dnsPolicy", 6), text("schedulerName", 19)];

const pod = kept(resources.pods as Resource<never>);
const podSpecShape = extended(nestedIn(pod, "spec"), podSpecMore, {
  containers: containerShape,
  initContainers: containerShape,
});
const podStatus = nestedIn(pod, "status");
const containerStatusShape = extended(nestedIn(podStatus, "containerStatuses"), [
  text("image", 6),
  text("imageID", 7),
  text("containerID", 8),
]);
const podStatusShape = extended(podStatus, [text("hostIP", 5), text("podIP", 6), text("qosClass", 9)], {
  containerStatuses: containerStatusShape,
  initContainerStatuses: containerStatusShape,
});
const templateShape = shapeOf(nested("metadata", 1, nestedIn(pod, "metadata")), nested("spec", 2, podSpecShape));

const job = kept(resources.jobs as Resource<never>);
const jobSpecShape = extended(nestedIn(job, "spec"), [
  nested("selector", 4, selectorShape),
  one("manualSelector", 5, "bool", { pointer: true }),
  nested("template", 6, templateShape),
]);
const jobTemplateShape = shapeOf(nested("metadata", 1, nestedIn(pod, "metadata")), nested("spec", 2, jobSpecShape));
const cronJob = kept(resources.cronJobs as Resource<never>);
const cronJobSpecShape = extended(nestedIn(cronJob, "spec"), [nested("jobTemplate", 5, jobTemplateShape)]);
const event = kept(resources.events as Resource<never>);
const eventSourceShape = shapeOf(text("component", 1), text("host", 2));

/**
 * What is sent of the built-in kinds in protobuf: all that the runtime keeps, and enough beside it that a client which decodes
 * whole objects (kubectl describe) finds what it looks for, and one which skips has something to skip. Never every field.
 * Field numbers: k8s.io/api, generated.proto.
 */
export const wholeShapes: Readonly<
  Record<"jobs" | "cronJobs" | "pods" | "leases" | "events" | "configMaps" | "namespaces", Shape<unknown>>
> = {
  jobs: extended(job, [], { spec: jobSpecShape }),
  cronJobs: extended(cronJob, [], { spec: cronJobSpecShape }),
  pods: extended(pod, [], { spec: podSpecShape, status: podStatusShape }),
  leases: kept(resources.leases as Resource<never>),
  events: extended(event, [nested("source", 5, eventSourceShape), text("action", 12), text("reportingInstance", 15)]),
  configMaps: kept(resources.configMaps as Resource<never>),
  namespaces: shapeOf(
    nested("metadata", 1, nestedIn(pod, "metadata")),
    nested("spec", 2, shapeOf(texts("finalizers", 1))),
    nested("status", 3, shapeOf(text("phase", 1))),
  ),
};
