import type { RequestListener } from "node:http";
import { gunzipSync } from "node:zlib";
import { request } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import {
  type CachesAnswer,
  type CacheView,
  healthApp,
  type HealthChecks,
  type IntervalsAnswer,
  type IntervalsSource,
  type JobsAnswer,
  Listener,
  metricsApp,
  type QueuesAnswer,
  type QueueSource,
  statusApp,
  type StatusSources,
} from "../../src/http/index.ts";
import { defineInterval, DriftCheck } from "../../src/requeue/index.ts";
import { testEnv } from "./env.ts";

const open: Listener[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close(0)));
});

async function serve(handler: RequestListener): Promise<string> {
  const listener = await Listener.open({
    name: "test",
    flag: "--test",
    address: "127.0.0.1:0",
    reach: "loopback",
    handler,
  });
  if (!listener) throw new Error("not opened");
  open.push(listener);
  return listener.url;
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  text: string;
}

async function get(
  url: string,
  headers: Record<string, string> = {},
  method: "GET" | "HEAD" | "POST" = "GET",
): Promise<Answer> {
  const answer = await request(url, { headers, method, reset: true });
  const body = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, headers: answer.headers, body, text: body.toString() };
}

describe("every app", () => {
  const failing = { scrape: () => Promise.reject(new Error("no page\nat secret/path.ts:1")) };

  it("hides what went wrong from the caller and tells the log", async () => {
    const env = testEnv();
    const answer = await get(`${await serve(metricsApp(failing, env))}/metrics`);
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.text)).toEqual({
      error: { code: "INTERNAL", message: "internal error; the log says more" },
    });
    expect(env.lines).toEqual([
      {
        message: "a request failed",
        fields: { listener: "metrics", path: "/metrics", error: "no page at secret/path.ts:1" },
      },
    ]);
  });

  it.each([
    ["GET", "/nothing", 404, "NOT_FOUND"],
    ["GET", "/", 404, "NOT_FOUND"],
    ["POST", "/metrics", 405, "METHOD_NOT_ALLOWED"],
  ] as const)("answers %s %s with %i", async (method, path, status, code) => {
    const answer = await get(`${await serve(metricsApp(failing, testEnv()))}${path}`, {}, method);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code } });
  });

  it("answers a path that cannot be decoded with 400", async () => {
    const answer = await get(`${await serve(healthApp({ healthz: [], readyz: [] }, testEnv()))}/readyz/%E0%A4%A`);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toEqual({ error: { code: "BAD_REQUEST", message: "the request cannot be read" } });
  });

  it("sends hard headers and does not say what it is built with", async () => {
    const { headers } = await get(`${await serve(healthApp({ healthz: [], readyz: [] }, testEnv()))}/healthz`);
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none';frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "x-frame-options": "SAMEORIGIN",
    });
    expect(headers).not.toHaveProperty("x-powered-by");
    expect(headers).not.toHaveProperty("strict-transport-security");
  });

  it("counts and times its answers", async () => {
    const env = testEnv();
    const url = await serve(metricsApp(env.meter, env));
    await get(`${url}/nothing`);
    const { text } = await get(`${url}/metrics`);
    expect(text).toContain('stalewatch_http_request_duration_seconds_count{listener="metrics",code="404"} 1\n');
  });
});

describe("/metrics", () => {
  const page = Buffer.from("# TYPE a gauge\na 1\n".repeat(200));
  const accepted: (string | undefined)[] = [];
  const source = {
    scrape: async (accept: string | undefined) => {
      accepted.push(accept);
      return { contentType: "text/plain; version=0.0.4; charset=utf-8", body: page };
    },
  };

  it("sends the page as it is, with its content type", async () => {
    const answer = await get(`${await serve(metricsApp(source, testEnv()))}/metrics`, { accept: "text/plain;q=0.5" });
    expect(accepted.at(-1)).toBe("text/plain;q=0.5");
    expect(answer.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(answer.headers["vary"]).toMatch(/accept, accept-encoding/i);
    expect(answer.headers).not.toHaveProperty("content-encoding");
    expect(answer.body.equals(page)).toBe(true);
  });

  it("compresses it for a scraper that takes gzip, and not for one that refuses it", async () => {
    const url = `${await serve(metricsApp(source, testEnv()))}/metrics`;
    const small = await get(url, { "accept-encoding": "gzip" });
    expect(small.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(small.body).equals(page)).toBe(true);
    const refused = await get(url, { "accept-encoding": "gzip;q=0, identity" });
    expect(refused.headers).not.toHaveProperty("content-encoding");
  });

  it("answers HEAD without a body", async () => {
    const answer = await get(`${await serve(metricsApp(source, testEnv()))}/metrics`, {}, "HEAD");
    expect(answer.status).toBe(200);
    expect(answer.body).toHaveLength(0);
    expect(answer.headers["content-length"]).toBe(String(page.length));
  });
});

describe("/healthz and /readyz", () => {
  const checks: HealthChecks = {
    healthz: [{ name: "ping", check: () => ({ ok: true }) }],
    readyz: [
      { name: "listeners", check: () => ({ ok: true }) },
      { name: "caches", check: () => ({ ok: true, reason: "jobs.batch: no answer\nfor 41s" }) },
    ],
  };
  const failing: HealthChecks = {
    ...checks,
    readyz: [
      ...checks.readyz,
      { name: "sync", check: () => ({ ok: false, reason: "pods not listed yet" }) },
      {
        name: "broken",
        check: () => {
          throw new Error("no state");
        },
      },
    ],
  };

  it.each<[string, HealthChecks, string, number, string]>([
    ["says ok", checks, "/readyz", 200, "ok\n"],
    ["says ok", checks, "/healthz", 200, "ok\n"],
    [
      "shows a degraded cache without failing",
      checks,
      "/readyz?verbose",
      200,
      "[+]listeners ok\n[+]caches ok: jobs.batch: no answer for 41s\nreadyz check passed\n",
    ],
    [
      "fails with a line a check",
      failing,
      "/readyz",
      500,
      "[+]listeners ok\n[+]caches ok: jobs.batch: no answer for 41s\n[-]sync failed: pods not listed yet\n[-]broken failed: no state\nreadyz check failed\n",
    ],
    ["leaves out what is excluded", failing, "/readyz?exclude=sync&exclude=broken", 200, "ok\n"],
    [
      "still fails on the check that is not excluded",
      failing,
      "/readyz?exclude=sync",
      500,
      "[+]listeners ok\n[+]caches ok: jobs.batch: no answer for 41s\n[+]sync excluded: ok\n[-]broken failed: no state\nreadyz check failed\n",
    ],
    [
      "says which exclusion means nothing",
      checks,
      "/healthz?verbose&exclude=pnig",
      200,
      "[+]ping ok\nwarn: no check is named pnig\nhealthz check passed\n",
    ],
    ["asks one check", failing, "/readyz/listeners", 200, "ok\n"],
    [
      "asks one failing check",
      failing,
      "/readyz/sync",
      500,
      "[-]sync failed: pods not listed yet\nreadyz check failed\n",
    ],
  ])("%s", async (_name, list, path, status, text) => {
    const answer = await get(`${await serve(healthApp(list, testEnv()))}${path}`);
    expect([answer.status, answer.text]).toEqual([status, text]);
    expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
  });

  it("does not know a check that is not there", async () => {
    expect((await get(`${await serve(healthApp(checks, testEnv()))}/readyz/sync`)).status).toBe(404);
  });
});

describe("/api/v1", () => {
  const nothing: StatusSources = {
    intervals: () => [],
    caches: () => [],
    delays: () => [],
    targets: () => [],
    queues: () => [],
    jobs: () => ({ objects: {}, healthy: 0, findings: [], groups: [], notes: [] }),
  };
  const cache: CacheView = {
    target: "self",
    name: "stalewatch",
    group: "batch",
    version: "v1",
    resource: "jobs",
    storeResourceVersion: "1234",
    headResourceVersion: null,
    state: "unknown",
    lagMinSeconds: null,
    lagMaxSeconds: null,
    eventsBehind: null,
    observedAt: null,
    confirmedBy: null,
    confirmedSecondsAgo: null,
    why: "nothing measures it",
  };
  const now = -1_000_000 + Date.UTC(2026, 0, 2, 3, 4, 5);
  const queue: QueueSource = {
    controller: "jobs",
    depths: () => [
      { priority: -100, depth: 40 },
      { priority: 0, depth: 2 },
    ],
    processing: () => [
      { key: "shop/b", since: now - 500 },
      { key: "shop/a", since: now - 61_000 },
    ],
    waiting: () => [
      { key: "shop/d", since: now - 1_000, dueAt: now + 59_000, interval: "ActiveJobRequeue" },
      { key: "shop/c", since: now - 9_000, dueAt: now - 250 },
    ],
  };

  it("answers caches in the shape of the contract", async () => {
    const app = statusApp({ ...nothing, caches: () => [cache] }, testEnv());
    const answer = await get(`${await serve(app)}/api/v1/caches`);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(JSON.parse(answer.text) as CachesAnswer).toEqual({
      at: "2026-01-02T03:04:05.000Z",
      delays: [],
      caches: [cache],
    });
  });

  it.each([
    ["", false],
    ["?all", true],
    ["?all=true", true],
    ["?all=false", false],
  ])("answers jobs%s", async (query, watched) => {
    const sources: StatusSources = {
      ...nothing,
      jobs: ({ all }) => ({ objects: { jobs: 3 }, healthy: all ? 2 : 3, findings: [], groups: [], notes: ["a note"] }),
    };
    const answer = await get(`${await serve(statusApp(sources, testEnv()))}/api/v1/jobs${query}`);
    expect(JSON.parse(answer.text) as JobsAnswer).toEqual({
      at: "2026-01-02T03:04:05.000Z",
      objects: { jobs: 3 },
      healthy: watched ? 2 : 3,
      findings: [],
      groups: [],
      notes: ["a note"],
    });
  });

  it("answers queues: what is ready, what is worked on, what waits and why", async () => {
    const app = statusApp({ ...nothing, queues: () => [queue] }, testEnv());
    const answer = await get(`${await serve(app)}/api/v1/queues`);
    expect(JSON.parse(answer.text) as QueuesAnswer).toEqual({
      at: "2026-01-02T03:04:05.000Z",
      controllers: [
        {
          controller: "jobs",
          totals: { depth: 42, processing: 2, waiting: 2 },
          depthByPriority: [
            { priority: 0, depth: 2 },
            { priority: -100, depth: 40 },
          ],
          processing: [
            { key: "shop/a", since: "2026-01-02T03:03:04.000Z", ageSeconds: 61 },
            { key: "shop/b", since: "2026-01-02T03:04:04.500Z", ageSeconds: 0.5 },
          ],
          waiting: [
            {
              key: "shop/c",
              interval: null,
              since: "2026-01-02T03:03:56.000Z",
              dueAt: "2026-01-02T03:04:04.750Z",
              dueInSeconds: -0.25,
            },
            {
              key: "shop/d",
              interval: "ActiveJobRequeue",
              since: "2026-01-02T03:04:04.000Z",
              dueAt: "2026-01-02T03:05:04.000Z",
              dueInSeconds: 59,
            },
          ],
        },
      ],
    });
  });

  it("cuts the lists at a limit, never the totals", async () => {
    const app = statusApp({ ...nothing, queues: () => [queue] }, testEnv());
    const answer = JSON.parse((await get(`${await serve(app)}/api/v1/queues?limit=1`)).text) as QueuesAnswer;
    expect(answer.controllers[0]?.totals).toEqual({ depth: 42, processing: 2, waiting: 2 });
    expect(answer.controllers[0]?.processing.map(({ key }) => key)).toEqual(["shop/a"]);
    expect(answer.controllers[0]?.waiting.map(({ key }) => key)).toEqual(["shop/c"]);
  });

  const Approval = defineInterval({ name: "Approval", sort: "wait", duration: "90s", source: "flag --approval" });
  const intervals: IntervalsSource = {
    controller: "runner",
    accounts: [
      {
        interval: Approval,
        asked: 9,
        fired: 4,
        superseded: 2,
        dropped: 1,
        rescues: 1,
        late: { mean: 12.4, max: 40 },
      },
      {
        interval: DriftCheck,
        asked: 0,
        fired: 0,
        superseded: 0,
        dropped: 0,
        rescues: 0,
        late: { mean: 0, max: 0 },
      },
    ],
    rescues: { resync: 2, requeue: 1 },
    waiting: () => queue.waiting(),
  };

  it("tells why each controller comes back, what became of that, and what waits until when", async () => {
    const app = statusApp({ ...nothing, intervals: () => [intervals] }, testEnv());
    const answer = await get(`${await serve(app)}/api/v1/intervals?limit=1`);
    expect(JSON.parse(answer.text) as IntervalsAnswer).toEqual({
      at: "2026-01-02T03:04:05.000Z",
      controllers: [
        {
          controller: "runner",
          intervals: [
            {
              name: "Approval",
              sort: "wait",
              seconds: 90,
              source: "flag --approval",
              requeues: { asked: 9, fired: 4, superseded: 2, dropped: 1, waiting: 2, rescues: 1 },
              lateSeconds: { mean: 0.012, max: 0.04 },
            },
            {
              name: "DriftCheck",
              sort: "schedule",
              seconds: 1_800,
              source: "compiled in",
              requeues: { asked: 0, fired: 0, superseded: 0, dropped: 0, waiting: 0, rescues: 0 },
              lateSeconds: null,
            },
          ],
          rescues: { resync: 2, requeue: 1 },
          totals: { waiting: 2 },
          waiting: [
            {
              key: "shop/c",
              interval: null,
              since: "2026-01-02T03:03:56.000Z",
              dueAt: "2026-01-02T03:04:04.750Z",
              dueInSeconds: -0.25,
            },
          ],
        },
      ],
    });
  });

  it.each(["limit=-1", "limit=1.5", "limit=x", "limit=10001", "limit="])("refuses ?%s", async (query) => {
    const url = await serve(statusApp({ ...nothing, queues: () => [queue] }, testEnv()));
    for (const path of ["queues", "intervals"]) {
      const answer = await get(`${url}/api/v1/${path}?${query}`);
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.text)).toMatchObject({ error: { code: "BAD_QUERY" } });
    }
  });
});
