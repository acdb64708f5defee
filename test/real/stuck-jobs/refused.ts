import { eventually } from "../harness/index.ts";
import type { Place } from "./place.ts";
import type { Scenario } from "./scenario.ts";

/** The Job controller is refused each pod that it would make. */
export const refused: readonly Scenario[] = [
  {
    name: "quota",
    kind: "S03",
    reason: "QuotaRefused",
    since: firstRefusal,
    async make(place) {
      const path = `${place.core}/resourcequotas`;
      const quota = {
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "pods" },
        spec: { hard: { pods: "0" } },
      };
      await place.cluster.raw.post(path, quota);
      await eventually("the quota is in force", async () => {
        const { items = [] } = await place.cluster.raw.get(path);
        return items.some(({ status }) => status.hard?.pods === "0");
      });
      await place.createJob();
      await refusal(place);
    },
  },
  {
    name: "webhook-refuses",
    kind: "S04",
    reason: "WebhookDenied",
    since: firstRefusal,
    async make(place, webhooks) {
      await webhooks.denyNewPods(place);
      await place.createJob();
      await refusal(place);
    },
  },
  {
    name: "webhook-down",
    kind: "S04",
    reason: "WebhookFailed",
    since: firstRefusal,
    async make(place, webhooks) {
      await webhooks.loseWebhookFor(place);
      await place.createJob();
      await refusal(place);
    },
  },
  {
    name: "service-account-missing",
    kind: "S06",
    reason: "ServiceAccountMissing",
    since: firstRefusal,
    async make(place) {
      await place.createJob({}, { template: { spec: { serviceAccountName: "exporter" } } });
      await refusal(place);
    },
  },
];

/** The Job controller tells of a refusal, in words that differ from one to the next. */
async function refusal(place: Place): Promise<void> {
  await eventually(`a refusal in ${place.namespace}`, async () => (await place.events("FailedCreate")).length > 0);
}

async function firstRefusal(place: Place): Promise<string> {
  const events = await place.events("FailedCreate");
  const [first = ""] = events.map(({ firstTimestamp }) => firstTimestamp as string).toSorted();
  return first;
}
