import { keyOf, resources } from "../../resources/index.ts";
import type { ParentRules } from "../parents/parent-rules.ts";
import { isBehind, isPaused, type Parent, textAt } from "../parents/parent.ts";
import type { KindPage, StuckKind } from "../stuck-kind.ts";
import { command, nameOf, quoted } from "../words.ts";

const page: KindPage = {
  id: "S30",
  name: "result-lost",
  sees: "a parent counts a Job as active that does not exist, and its status does not change",
  lookAlike:
    "the seconds between a Job's deletion and the parent's next look; a parent that is paused or whose observedGeneration is behind",
  means:
    "Whoever waits for the Job can never read how it ended: it was deleted before that, most often by a ttlSecondsAfterFinished of a few seconds, or it was never created. A waiting controller has nothing left that could wake it.",
  remedy: [
    "See whether the Jobs of this controller have a ttlSecondsAfterFinished, and make it longer than the controller can be away.",
    "Read the parent's events and its controller's log for how the Job ended.",
    "Any change of the parent, such as an annotation, makes its controller look again; some need their run to be started anew.",
  ],
  limits: { warningMs: 2 * 60_000, criticalMs: 10 * 60_000 },
  source: [
    "https://github.com/argoproj/argo-cd/issues/21055",
    "https://github.com/argoproj/argo-cd/issues/6880",
    "https://github.com/fluxcd/kustomize-controller/issues/373",
  ],
  reasons: ["ActiveJobGone"],
};

/** An object that is gone leaves no time: whatever is written to the parent starts the age anew. */
export function resultLost(rules: ParentRules): StuckKind<Parent> {
  return {
    ...page,
    look(parent, world, now) {
      const active = textAt(parent, rules.activeJob);
      if (active === undefined || isBehind(parent) || isPaused(parent)) return undefined;
      const { namespace = "", name, resourceVersion } = parent.metadata;
      if (world.find(resources.jobs, { namespace, name: active }) !== null) return undefined;
      const { kind, resource } = rules.resource;
      const job = quoted(keyOf({ namespace, name: active }));
      return {
        reason: "ActiveJobGone",
        sinceMs: world.unchangedSince(parent, "active Job gone", `${resourceVersion} ${active}`, now),
        sinceSource: "observed",
        message: `${nameOf(kind, parent)} waits for Job ${job}, which does not exist`,
        evidence: [`${nameOf(kind, parent)}: ${rules.activeJob} ${quoted(active)}`],
        next: [
          command`kubectl -n ${namespace} describe ${resource} ${name}`,
          command`kubectl -n ${namespace} get events --field-selector involvedObject.name=${active}`,
        ],
      };
    },
  };
}
