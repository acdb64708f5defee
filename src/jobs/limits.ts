import { defined } from "../base/index.ts";
import type { DeepReadonly, KubeObject, LabelMatcher } from "../resources/index.ts";
import type { AgeLimits } from "./finding.ts";
import type { KindPage } from "./stuck-kind.ts";
import type { World } from "./world.ts";

/** Ages that somebody wants instead of a kind's own. What is not given matches everything. */
export interface LimitRule {
  /** Id of the stuck kind, `S13`. */
  readonly kind: string;
  readonly namespace?: string;
  /** Labels of the object, or of its controller as far as that is known. */
  readonly labels?: LabelMatcher;
  /** Those that are left out stay as they are. */
  readonly ages: Partial<AgeLimits>;
}

/** Each rule changes what the ones before it say: the last one wins. */
export type LimitRules = readonly LimitRule[];

/** The ages that hold for everything of a kind: those of its page, and of the rules that name neither a namespace nor labels. */
export function limitsOf(kind: Pick<KindPage, "id" | "limits">, rules: LimitRules): AgeLimits {
  return amended(kind.limits, rules, (rule) => {
    return rule.kind === kind.id && rule.namespace === undefined && rule.labels === undefined;
  });
}

/** The ages for one object. `own` are the kind's, or those that follow from the object itself. */
export function limitsFor(
  kindId: string,
  own: AgeLimits,
  object: DeepReadonly<KubeObject>,
  world: Pick<World, "ownerOf">,
  rules: LimitRules,
): AgeLimits {
  return amended(own, rules, ({ kind, namespace, labels }) => {
    if (kind !== kindId || (namespace !== undefined && namespace !== object.metadata.namespace)) return false;
    return labels === undefined || labels(object.metadata.labels) || labels(world.ownerOf(object)?.metadata.labels);
  });
}

function amended(own: AgeLimits, rules: LimitRules, applies: (rule: LimitRule) => boolean): AgeLimits {
  const applying = rules.filter(applies);
  return applying.length === 0 ? own : Object.assign({ ...own }, ...applying.map(({ ages }) => defined(ages)));
}
