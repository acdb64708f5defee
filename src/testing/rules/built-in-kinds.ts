import type { Shape } from "../../resources/index.ts";
import type { Kind, KindRules } from "../storage/kind.ts";
import { kindId } from "../storage/kind-registry.ts";
import { wholeShapes } from "../wire/whole-shapes.ts";
import { cronJobRules } from "./cronjob-rules.ts";
import { jobRules } from "./job-rules.ts";
import { podRules } from "./pod-rules.ts";
import { eventRules, namespaceRules, nodeRules, secretRules } from "./core-rules.ts";

interface Declaration {
  group?: string;
  kind: string;
  resource: string;
  shortNames?: string[];
  namespaced?: boolean;
  status?: boolean;
  generation?: boolean;
  cached?: boolean;
  shape?: Shape<unknown> | undefined;
  rules?: KindRules;
}

function builtIn(declaration: Declaration): Kind {
  const { group = "", kind, resource, shape, rules = {} } = declaration;
  return {
    id: kindId(group, resource),
    group,
    version: "v1",
    apiVersion: group === "" ? "v1" : `${group}/v1`,
    kind,
    resource,
    singular: kind.toLowerCase(),
    shortNames: declaration.shortNames ?? [],
    namespaced: declaration.namespaced ?? true,
    status: declaration.status ?? false,
    custom: false,
    generation: declaration.generation ?? false,
    cached: declaration.cached ?? true,
    shape,
    rules,
  };
}

/** The kinds of a real API server that the runtime, its sidecar and their tests have to do with. */
export const builtInKinds: readonly Kind[] = [
  builtIn({
    group: "batch",
    kind: "Job",
    resource: "jobs",
    status: true,
    generation: true,
    shape: wholeShapes.jobs,
    rules: jobRules,
  }),
  builtIn({
    group: "batch",
    kind: "CronJob",
    resource: "cronjobs",
    shortNames: ["cj"],
    status: true,
    generation: true,
    shape: wholeShapes.cronJobs,
    rules: cronJobRules,
  }),
  builtIn({
    kind: "Pod",
    resource: "pods",
    shortNames: ["po"],
    status: true,
    generation: true,
    shape: wholeShapes.pods,
    rules: podRules,
  }),
  builtIn({
    group: "coordination.k8s.io",
    kind: "Lease",
    resource: "leases",
    shape: wholeShapes.leases,
    rules: { conditionalUpdate: true },
  }),
  builtIn({
    kind: "Event",
    resource: "events",
    shortNames: ["ev"],
    cached: false,
    shape: wholeShapes.events,
    rules: eventRules,
  }),
  builtIn({ kind: "ConfigMap", resource: "configmaps", shortNames: ["cm"], shape: wholeShapes.configMaps }),
  builtIn({
    kind: "Namespace",
    resource: "namespaces",
    shortNames: ["ns"],
    namespaced: false,
    status: true,
    shape: wholeShapes.namespaces,
    rules: namespaceRules,
  }),
  builtIn({ kind: "Node", resource: "nodes", shortNames: ["no"], namespaced: false, status: true, rules: nodeRules }),
  builtIn({ kind: "Secret", resource: "secrets", rules: secretRules }),
  builtIn({ kind: "ResourceQuota", resource: "resourcequotas", shortNames: ["quota"], status: true }),
];
