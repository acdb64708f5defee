import { describe, expect, it } from "vitest";
import type { Event, Job, Pod } from "../../../src/resources/index.ts";
import { CREATED, job, meta, waitingPod } from "../objects.ts";
import { endedPod, eventAbout, look, podOf, type Scene, time, verdictIn } from "./scene.ts";

const DAY = 86_400;
const untouched = { status: {} };
const started = job({ status: { startTime: CREATED, ready: 0 } });

function refusedWith(message: string, more: { first?: number; last?: number; count?: number } = {}): Event {
  return eventAbout("export-1", "FailedCreate", {
    message: `Error creating: ${message}`,
    first: 1,
    last: 600,
    ...more,
  });
}

const seen = (events: readonly Event[], seconds: number, more: Partial<Scene> = {}): ReturnType<typeof look> =>
  look({ job: started, events, ...more }, seconds);

describe("S01, the controller has not touched it", () => {
  it.each<[string, Job, Pod[]]>([
    ["has a start time", started, [podOf()]],
    ["is suspended", job({ ...untouched, spec: { suspend: true } }), []],
    ["has a pod", job(untouched), [waitingPod("ContainerCreating")]],
    ["is being deleted", job({ ...untouched, metadata: { deletionTimestamp: CREATED } }), []],
  ])("is silent about a Job that %s", (_, subject, pods) => {
    expect(look({ job: subject, pods }, DAY)?.kind).not.toBe("S01");
  });

  it("speaks of a Job that names the built-in controller", () => {
    const named = job({ ...untouched, spec: { managedBy: "kubernetes.io/job-controller" } });
    expect(look({ job: named }, 61)?.kind).toBe("S01");
  });

  it("says nothing of a Job without a time rather than inventing one", () => {
    const { creationTimestamp: _, ...metadata } = meta("export-1");
    expect(look({ job: { ...job(untouched), metadata } }, DAY)).toBeUndefined();
  });
});

describe("S02, managed by nobody", () => {
  it.each(["kueue.x-k8s.io/multiqueue", "example.com/cluster-runner"])("speaks of %s", (managedBy) => {
    expect(look({ job: job({ ...untouched, spec: { managedBy } }) }, 600)).toMatchObject({
      kind: "S02",
      state: "stuck",
    });
  });

  it("is silent about a Job with pods, which somebody must have made", () => {
    const subject = job({ ...untouched, spec: { managedBy: "example.com/runner" } });
    expect(look({ job: subject, pods: [podOf()] }, DAY)).toBeUndefined();
  });
});

describe("a Job whose pods are refused", () => {
  it.each([
    [
      "S03",
      "QuotaRefused",
      'pods "a-b" is forbidden: exceeded quota: compute, requested: pods=1',
      "quota shop/compute",
    ],
    [
      "S03",
      "QuotaRefused",
      'pods "a-b" is forbidden: failed quota: compute: must specify limits.cpu',
      "quota shop/compute",
    ],
    ["S03", "QuotaRefused", 'pods "a-b" is forbidden: insufficient quota to consume: pods', undefined],
    ["S04", "WebhookDenied", 'admission webhook "a.example.com" denied the request: no', "webhook a.example.com"],
    [
      "S04",
      "WebhookFailed",
      'Internal error occurred: failed calling webhook "a.example.com": context deadline exceeded',
      "webhook a.example.com",
    ],
    [
      "S04",
      "PolicyDenied",
      `pods "a-b" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'no-latest-all' denied request: no tag`,
      "policy no-latest",
    ],
    [
      "S04",
      "PodSecurityDenied",
      'pods "a-b" is forbidden: violates PodSecurity "restricted:latest": privileged',
      "pod security of namespace shop",
    ],
    [
      "S04",
      "LimitRangeDenied",
      'pods "a-b" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
      undefined,
    ],
    ["S04", "PodRefused", 'pods "a-b" is forbidden: no PriorityClass with name high was found', undefined],
    [
      "S06",
      "ServiceAccountMissing",
      'pods "a-b" is forbidden: error looking up service account shop/exporter: serviceaccount "exporter" not found',
      "serviceaccount shop/exporter",
    ],
  ])("is %s %s by %s", (kind, reason, message, cause) => {
    const found = seen([refusedWith(message)], 610);
    expect(found).toMatchObject({ kind, reason, since: time(1), sinceSource: "event FailedCreate firstTimestamp" });
    expect(found?.cause).toBe(cause);
    expect(found?.evidence[0]).toContain(message.slice(0, 40));
  });

  it("believes whoever speaks first: what a webhook says is anybody's words", () => {
    const text = 'admission webhook "a.example.com" denied the request: exceeded quota: faked';
    expect(seen([refusedWith(text)], 610)).toMatchObject({ kind: "S04", cause: "webhook a.example.com" });
  });

  it("counts from the first of several events and not from the last, whatever their order", () => {
    const events = [300, 1, 120].map((first) =>
      refusedWith(`pods "a-${first}" is forbidden: exceeded quota: compute, requested`, { first, last: first }),
    );
    for (const order of [events, events.toReversed()]) {
      expect(seen(order, 310)).toMatchObject({ kind: "S03", since: time(1), state: "stuck" });
      expect(seen(order, 310)?.evidence).toEqual([expect.stringContaining("(3 times)")]);
    }
  });

  it("tells who stands in the way now when several have refused in turn", () => {
    const events = [
      refusedWith('pods "a" is forbidden: exceeded quota: compute, requested', { first: 1, last: 100 }),
      refusedWith('admission webhook "a.example.com" denied the request: no', { first: 110, last: 600 }),
    ];
    expect(seen(events, 600)).toMatchObject({ kind: "S04", since: time(110) });
  });

  it("forgets refusals from before the last pod was made", () => {
    const old = refusedWith('pods "a" is forbidden: exceeded quota: compute, requested', { first: 1, last: 100 });
    const again = refusedWith('pods "b" is forbidden: exceeded quota: compute, used', { first: 700, last: 900 });
    const failed = endedPod(500, { phase: "Failed", metadata: { creationTimestamp: time(200) } });
    const subject = job({ status: { startTime: CREATED, failed: 1 } });
    expect(seen([old], 560, { job: subject, pods: [failed] })).toBeUndefined();
    expect(seen([old, again], 910, { job: subject, pods: [failed] })).toMatchObject({ kind: "S03", since: time(700) });
  });

  it("is one whose controller no longer tries, once nothing has been told for fifteen minutes", () => {
    const event = refusedWith('pods "a" is forbidden: exceeded quota: compute, requested', { last: 600 });
    expect(seen([event], 600 + 900)?.kind).toBe("S03");
    expect(seen([event], 600 + 901)).toMatchObject({ kind: "S05", since: time(600) });
  });

  it("is not asked about in its first seconds, nor while a pod of it is there", () => {
    const event = refusedWith('pods "a" is forbidden: exceeded quota: compute, requested', { last: 10 });
    expect(seen([event], 29)).toBeUndefined();
    expect(verdictIn({ job: started, events: [event] }, 5).dueAt).toBe(Date.parse(time(30)));
    expect(seen([event], 30)?.kind).toBe("S03");
    expect(seen([event], 310, { pods: [podOf()] })).toBeUndefined();
  });

  it("is found before the controller has written a status, as older versions leave it", () => {
    const message =
      'pods "a" is forbidden: error looking up service account shop/exporter: serviceaccount "exporter" not found';
    expect(seen([refusedWith(message)], 610, { job: job(untouched) })).toMatchObject({ kind: "S06", since: time(1) });
    expect(seen([], 610, { job: job(untouched) })?.kind).toBe("S01");
  });

  it("reads the times of both event APIs", () => {
    const { firstTimestamp: _, lastTimestamp: __, count: ___, ...rest } = refusedWith("pods: exceeded quota: q, used");
    const event = {
      ...rest,
      eventTime: `${time(5).slice(0, -1)}.000000Z`,
      series: { count: 7, lastObservedTime: time(590) },
    };
    const found = seen([event], 600);
    expect(found).toMatchObject({ kind: "S03", since: time(5), sinceSource: "event FailedCreate eventTime" });
    expect(found?.evidence[0]).toContain("(7 times)");
  });

  it("never lets an event's text move the reader's terminal, nor fill the screen", () => {
    const found = seen([refusedWith(`exceeded quota: \u001b[2Jq, ${"x".repeat(9_000)}`)], 600);
    expect(JSON.stringify(found)).not.toContain("\\u001b");
    expect(found?.evidence[0]?.length).toBeLessThan(400);
  });
});

describe("S05, no attempt to create pods", () => {
  it("leaves the longest back-off to a pod that failed", () => {
    const subject = job({ status: { startTime: CREATED, failed: 1 } });
    const scene = { job: subject, pods: [endedPod(60, { phase: "Failed" })], events: [] };
    expect(look(scene, 659)).toBeUndefined();
    expect(verdictIn(scene, 100).dueAt).toBe(Date.parse(time(660)));
    expect(look(scene, 660 + 600)).toMatchObject({ kind: "S05", since: time(660), state: "stuck" });
  });

  it("counts from the last attempt that was told of", () => {
    const made = eventAbout("export-1", "SuccessfulCreate", { first: 100 });
    expect(look({ job: started, events: [made] }, 700)).toMatchObject({ since: time(100), state: "stuck" });
  });

  it("says so when nothing is known of events", () => {
    expect(look({ job: started }, 3_600)).toMatchObject({ kind: "S05", reason: "NoPods", severity: "critical" });
  });

  it.each<[string, Job]>([
    ["has had all its completions", job({ status: { startTime: CREATED, succeeded: 1 } })],
    ["wants none", job({ spec: { parallelism: 0 }, status: { startTime: CREATED } })],
  ])("is silent about a Job that %s", (_, subject) => {
    expect(look({ job: subject, events: [] }, DAY)).toBeUndefined();
  });
});
