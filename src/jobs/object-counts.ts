import { apiVersionOf, type Resource, resourceName, resources } from "../resources/index.ts";
import type { Finding } from "./finding.ts";

const JOB_API_VERSION = apiVersionOf(resources.jobs);

/** How many objects were looked at, by the plural of their kind: `jobs`, or `jobs.batch.volcano.sh` where another kind has it already. */
export class ObjectCounts {
  readonly #counts: Map<string, number> = new Map();
  readonly #plurals: Map<string, string> = new Map();

  constructor() {
    for (const resource of [resources.jobs, resources.pods]) this.add(resource, 0);
  }

  add(resource: Pick<Resource, "group" | "version" | "resource">, count: number): void {
    const { group, resource: plural } = resource;
    const name = resourceName(resource);
    const owner = this.#plurals.get(plural) ?? name;
    this.#plurals.set(plural, owner);
    const key = owner === name ? plural : `${plural}.${group}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  /** `jobs` and `pods` are always there. */
  byPlural(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** Jobs that none of these findings is about. What is only watched counts as healthy. */
  healthyJobs(findings: readonly Finding[]): number {
    const unwell = findings.filter(
      ({ object, state }) =>
        state !== "watching" && object.kind === resources.jobs.kind && object.apiVersion === JOB_API_VERSION,
    );
    return Math.max(0, (this.#counts.get(resources.jobs.resource) ?? 0) - unwell.length);
  }
}
