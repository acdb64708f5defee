/** A public report that is about something else than a verdict on an object, and what shows the like instead. */
export interface UntoldCase {
  readonly id: string;
  readonly url: string;
  readonly symptom: string;
  /** A test file and a part of a title in it. Undefined: nothing shows it yet. */
  readonly shownBy?: readonly [file: string, title: string];
  /** Why no verdict can show it, where that is not plain from where it is shown. */
  readonly why?: string;
}

const kubernetes = (path: string): string => `https://github.com/kubernetes/kubernetes/${path}`;
const runtime = (path: string): string => `https://github.com/kubernetes-sigs/controller-runtime/${path}`;
const javascript = (path: string): string => `https://github.com/kubernetes-client/javascript/${path}`;

const ADVISOR = "a matter of capacity: the advisor on sync periods is not there yet";
const OWN_CACHES = ["test/lag/own-caches.test.ts", "has what it missed within 100 s"] as const;
const READ_OWN = ["test/controller/read-your-writes.test.ts", "waiting for its own writes, makes exactly one"] as const;
const SAME_NAME = ["test/cache/informer.test.ts", "an object of the same name with another uid over a list"] as const;
const REWIND = ["test/lag/cache-lag.test.ts", "is rewind after a restore, until it goes back"] as const;
const RESYNC = ["test/cache/resync.test.ts", "takes a different time for each period, within ten percent"] as const;

export const untoldCases: readonly UntoldCase[] = [
  {
    id: "B01",
    url: "https://github.com/instaclustr/cassandra-operator/issues/402",
    symptom:
      "After a restart a stale API server replays an old deletion, and what belongs to the new object is deleted.",
    shownBy: SAME_NAME,
  },
  {
    id: "B02",
    url: "https://github.com/instaclustr/cassandra-operator/issues/407",
    symptom: "A stale view of pods after scaling: a volume in use is deleted.",
    shownBy: REWIND,
  },
  {
    id: "B04",
    url: "https://github.com/pravega/zookeeper-operator/issues/312",
    symptom: "The same in another operator.",
    shownBy: REWIND,
  },
  {
    id: "B06",
    url: "https://github.com/opensearch-project/opensearch-k8s-operator/issues/1471",
    symptom: "A decision was made from a cache that had not seen the controller's own delete.",
    shownBy: [
      "test/controller/unknown-writes.test.ts",
      "is waited for by uid: the next pass does not meet the object again",
    ],
  },
  {
    id: "B07",
    url: "https://github.com/tektoncd/pipeline/issues/3557",
    symptom: "A tenth of the runs had their children twice.",
    shownBy: READ_OWN,
  },
  {
    id: "B09",
    url: kubernetes("issues/120790"),
    symptom: "Pods are made twice when the cache trails the write.",
    shownBy: READ_OWN,
  },
  {
    id: "B10",
    url: kubernetes("pull/137210"),
    symptom: "Passes over a cache that trails are skipped and counted; an alert must go by rate and time.",
    shownBy: ["test/mixin/cases/caches.ts", "it was a burst"],
  },
  {
    id: "B12",
    url: "https://github.com/ai-dynamo/grove/pull/747",
    symptom: "A write is left out as the cache trails, and nothing looks at the object again.",
    shownBy: ["test/controller/read-your-writes.test.ts", "falls back on LagRequeue while nothing moves the cache"],
  },
  {
    id: "B14",
    url: "https://github.com/kubernetes/kube-state-metrics/issues/2372",
    symptom: "Some shards of an exporter are an hour behind.",
    shownBy: ["test/lag/cache-lag.test.ts", "is stalled when it stands still for 90 s while others saw what it misses"],
  },
  {
    id: "B18",
    url: javascript("issues/958"),
    symptom: "An informer stops after an hour, without an error.",
    shownBy: OWN_CACHES,
  },
  { id: "B19", url: javascript("issues/596"), symptom: "The same; users restart it by a timer.", shownBy: OWN_CACHES },
  {
    id: "B22",
    url: javascript("issues/1933"),
    symptom: "Tens of watch requests a second after a reconnect.",
    shownBy: ["test/cache/reflector.test.ts", "that ends as soon as it began, again and again"],
  },
  {
    id: "B24",
    url: "https://github.com/kubernetes-client/java/issues/2330",
    symptom: "An informer dies silently when the network is away for five minutes.",
    shownBy: OWN_CACHES,
  },
  {
    id: "B26",
    url: "https://github.com/derailed/k9s/pull/4186",
    symptom: "A proxy drops the mark that ends a streamed list, so that the cache is never synced.",
    shownBy: ["test/cache/reflector.test.ts", "does not wait for an end mark that never comes"],
  },
  {
    id: "C01",
    url: kubernetes("issues/68179"),
    symptom: "Each resync of 10 000 objects holds up real events for minutes.",
    shownBy: ["test/cache/resync.test.ts", "hands out every object once a period, evenly"],
  },
  {
    id: "C02",
    url: kubernetes("issues/24375"),
    symptom: "10 000 objects take 20 s a list, and users wait.",
    shownBy: ["test/workqueue/ageing.test.ts", "a change that comes while a whole initial list has aged"],
  },
  {
    id: "C04",
    url: runtime("issues/3496"),
    symptom: "Low-priority objects of the first list starve under load.",
    shownBy: ["test/workqueue/ageing.test.ts", "of 105 % are served within a minute"],
  },
  {
    id: "C06",
    url: "https://github.com/ironcore-dev/network-operator/pull/285",
    symptom: "Those that lost a lock are put back at equal priority and starve.",
    shownBy: ["test/workqueue/ageing.test.ts", "no entry waits for ever"],
  },
  {
    id: "C07",
    url: runtime("issues/392"),
    symptom: "A requeue did not forget the failures before it, and the next failure waited 16 minutes.",
    shownBy: ["test/controller/passes.test.ts", "forgets the failures before it"],
  },
  {
    id: "C09",
    url: "https://github.com/rabbitmq/messaging-topology-operator/issues/864",
    symptom: "The resync that comes every ten hours surprises as a mass of passes.",
    shownBy: ["test/cache/resync.test.ts", "hands out every object once a period, evenly"],
  },
  {
    id: "C10",
    url: "https://github.com/argoproj/argo-cd/issues/29767",
    symptom: "A resync without jitter over hundreds of clusters.",
    shownBy: RESYNC,
  },
  {
    id: "C12",
    url: "https://github.com/crossplane/upjet/issues/116",
    symptom: "A new object waits the longer the more there are: one worker, a minute's poll.",
    why: ADVISOR,
  },
  {
    id: "C13",
    url: "https://github.com/crossplane-contrib/provider-kubernetes/issues/32",
    symptom: "300 claims take half an hour.",
    why: ADVISOR,
  },
  {
    id: "C15",
    url: "https://github.com/open-policy-agent/kube-mgmt/pull/45",
    symptom: "A period that is too short: it never catches up.",
    why: ADVISOR,
  },
  {
    id: "C16",
    url: "https://github.com/kubernetes-sigs/cluster-api/issues/8052",
    symptom: "600 clusters at ten minutes make a steady stream of calls.",
    why: ADVISOR,
  },
  {
    id: "C18",
    url: "https://github.com/fluxcd/kustomize-controller/issues/1624",
    symptom: "A pass hangs: nothing moves and nothing fails.",
    shownBy: ["test/mixin/cases/queues.ts", "keys wait and nothing is finished"],
  },
  {
    id: "C19",
    url: "https://github.com/crossplane-contrib/provider-terraform/issues/73",
    symptom: "One worker, ten seconds an object, a minute's poll: 20 objects are too many.",
    why: ADVISOR,
  },
  {
    id: "D03",
    url: "https://github.com/cilium/cilium/issues/17870",
    symptom: "Without discovery the election was left out, and all replicas act.",
    why: "there is no Lease to judge, and who wrote an object is not kept of it",
  },
  {
    id: "D04",
    url: "https://github.com/cilium/cilium/issues/21482",
    symptom: "A new leader acts before its cache is complete.",
    shownBy: [
      "test/controller/new-leader.test.ts",
      "does not do again what its predecessor did and its cache does not show",
    ],
  },
  {
    id: "D11",
    url: kubernetes("issues/125761"),
    symptom: "A clock changes, and two lead for two seconds.",
    shownBy: [
      "test/election/leader-elector.test.ts",
      "a holder's wall clock that is set back by an hour changes nothing",
    ],
  },
  {
    id: "D13",
    url: "https://github.com/kubernetes-client/csharp/issues/1599",
    symptom: "A lease that has run out is not taken at once.",
    shownBy: ["test/election/leader-elector.test.ts", "a silent holder is followed within 24 s of its last renewal"],
  },
  {
    id: "E01",
    url: "https://github.com/mitodl/ol-infrastructure/pull/5457",
    symptom: "A route that mutes Kube.* took the project's own alerts.",
    shownBy: ["test/field/alert-delivery.test.ts", "is muted by no route"],
  },
  {
    id: "E05",
    url: "https://github.com/Smana/cloud-native-ref/issues/1733",
    symptom: "A rule on a metric that is gone stays green.",
    shownBy: ["test/mixin/queries.test.ts", "asks for what is exported"],
  },
  {
    id: "E06",
    url: "https://github.com/prometheus-operator/prometheus-operator/issues/3767",
    symptom: "A PrometheusRule is not picked up, as its labels do not match.",
    shownBy: ["test/field/alert-delivery.test.ts", "the labels that a ruleSelector wants"],
  },
];
