import { describe, expect, it } from "vitest";
import {
  type ClientOptions,
  isForbidden,
  isTooManyRequests,
  isTransient,
  isUnauthorized,
  isVersionTooLarge,
  KubeClient,
  kubeMetrics,
} from "../../src/kube/index.ts";
import { resources } from "../../src/resources/index.ts";
import { type Recorded, recordingEnv } from "./recording-env.ts";
import { type Answer, json, ScriptedTransport } from "./scripted-transport.ts";

const { jobs } = resources;
const ref = { namespace: "shop", name: "a" };
const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "a", namespace: "shop", uid: "u" } };
const host = "server.test:6443";

function clientFor(
  script: readonly (Answer | Error)[],
  options: Partial<ClientOptions> = {},
): Recorded & { client: KubeClient; transport: ScriptedTransport } {
  const recorded = recordingEnv();
  const transport = new ScriptedTransport(...script);
  return { ...recorded, transport, client: new KubeClient({ transport, env: recorded.env, ...options }) };
}

function status(code: number, reason: string, more: object = {}, headers: Record<string, string> = {}): Answer {
  return json({ kind: "Status", status: "Failure", message: `it is ${reason}`, reason, code, ...more }, code, headers);
}

describe("a refused call", () => {
  it.each([
    [403, "Forbidden", isForbidden, /allow "get" on it with RBAC/],
    [401, "Unauthorized", isUnauthorized, /renew the token or client certificate/],
    [429, "TooManyRequests", isTooManyRequests, /it is TooManyRequests/],
  ])("%i %s is known by its predicate, and says what to do", async (code, reason, predicate, message) => {
    const { client } = clientFor([status(code, reason)]);
    const thrown: unknown = await client.get(jobs, ref).catch((error: unknown) => error);
    expect(predicate(thrown)).toBe(true);
    expect(thrown).toMatchObject({
      status: code,
      reason,
      resource: "jobs.v1.batch shop/a",
      message: expect.stringMatching(message),
    });
    expect(thrown).toMatchObject({ message: expect.stringMatching(/^get jobs\.v1\.batch shop\/a: /) });
  });

  it("is told apart by a cause: a version that the server has not reached", async () => {
    const details = {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    };
    const { client } = clientFor([status(504, "Timeout", { details })]);
    const thrown: unknown = await client.create(jobs, { metadata: ref }).catch((error: unknown) => error);
    expect(isVersionTooLarge(thrown)).toBe(true);
    expect(thrown).toMatchObject({ retryAfterMs: 1_000 });
  });

  it.each([
    ["a proxy's page", 502, "text/html", "<h1>Bad gateway</h1>", /Bad gateway.*no API server/],
    ["an empty body", 503, "", "", /ServiceUnavailable/],
    ["JSON that is no Status", 500, "application/json", '{"error":"x"}', /500 InternalError/],
    ["a Status that breaks off", 500, "application/json", '{"kind":"Sta', /500 InternalError/],
    ["a Status of strange types", 500, "application/json", '{"kind":"Status","message":7}', /500 InternalError/],
  ])("with %s still says what it was", async (_what, code, type, body, message) => {
    const { client } = clientFor([{ status: code, headers: { "content-type": type }, body: [body] }]);
    const thrown: unknown = await client.create(jobs, { metadata: ref }).catch((error: unknown) => error);
    expect(isTransient(thrown)).toBe(true);
    expect(thrown).toMatchObject({ status: code, message: expect.stringMatching(message) });
  });

  it("escapes what a server could do to a terminal or log", async () => {
    const { client } = clientFor([
      json({ kind: "Status", message: "a\u001b[2J\nb", reason: "Invalid", code: 422 }, 422),
    ]);
    await expect(client.get(jobs, ref)).rejects.toThrow(String.raw`a\x1b[2J b`);
  });
});

describe("an answer that cannot be used", () => {
  it.each([
    ["HTML", { headers: { "content-type": "text/html" }, body: ["<h1>Log in</h1>"] }, /text\/html.*proxy/],
    ["JSON that breaks off", { body: ['{"metadata":{"na'] }, /not whole JSON/],
    ["no object", { body: ["[]"] }, /no object with metadata/],
  ])("%s is an error of that name", async (_what, answer, message) => {
    const { client } = clientFor([answer]);
    await expect(client.get(jobs, ref)).rejects.toMatchObject({
      code: "API_UNREADABLE_ANSWER",
      resource: "jobs.v1.batch shop/a",
      message: expect.stringMatching(message),
    });
  });
});

describe("Retry-After", () => {
  const busy = status(429, "TooManyRequests", {}, { "retry-after": "2" });
  const down = status(503, "ServiceUnavailable", {}, { "retry-after": "2" });

  it("is waited for, and the call repeated", async () => {
    const { client, clock, transport, count, sum } = clientFor([busy, down, json(job)]);
    const answer = client.get(jobs, ref);
    await clock.advance(1_999);
    expect(transport.requests).toHaveLength(1);
    await clock.advance(1);
    expect(transport.requests).toHaveLength(2);
    await clock.advance(2_000);
    await expect(answer).resolves.toEqual(job);
    expect(count("rest_client_requests_total", { code: "429", method: "GET", host })).toBe(1);
    expect(count("rest_client_requests_total", { code: "200", method: "GET", host })).toBe(1);
    expect(count("rest_client_request_retries_total", { code: "503", verb: "GET", host })).toBe(1);
    expect(count("rest_client_request_duration_seconds", { verb: "GET", host })).toBe(1);
    expect(sum("rest_client_request_duration_seconds", { verb: "GET", host })).toBe(4);
  });

  it("is honoured ten times at most", async () => {
    const { client, clock, transport } = clientFor(Array.from({ length: 12 }, () => busy));
    const answer = client.get(jobs, ref);
    const settled = expect(answer).rejects.toSatisfy(isTooManyRequests);
    await clock.advance(60_000);
    await settled;
    expect(transport.requests).toHaveLength(10);
  });

  it.each([
    ["a create after 429", busy, 2],
    ["a create after 503: it may have been done", down, 1],
  ])("%s", async (_what, answer, requests) => {
    const { client, clock, transport } = clientFor([answer, json(job)]);
    const created = client.create(jobs, { metadata: ref }).catch((error: unknown) => error);
    await clock.advance(2_000);
    await created;
    expect(transport.requests).toHaveLength(requests);
  });

  it.each([
    ["merge", { type: "merge", body: {} } as const, {}, 2],
    ["json", { type: "json", body: [] } as const, {}, 1],
    ["json at a version", { type: "json", body: [] } as const, { resourceVersion: "7" }, 2],
  ])("a %s patch after 503", async (_what, patch, options, requests) => {
    const { client, clock, transport } = clientFor([down, json(job)]);
    const patched = client.patch(jobs, ref, patch, options).catch((error: unknown) => error);
    await clock.advance(2_000);
    await patched;
    expect(transport.requests).toHaveLength(requests);
  });

  it("of more than a minute is left to the caller, as is none", async () => {
    for (const headers of [{ "retry-after": "61" }, {}, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }]) {
      const { client, transport } = clientFor([status(429, "TooManyRequests", {}, headers)]);
      await expect(client.get(jobs, ref)).rejects.toSatisfy(isTooManyRequests);
      expect(transport.requests).toHaveLength(1);
    }
  });

  it("ends with the signal", async () => {
    const { client, clock } = clientFor([busy]);
    const stop = new AbortController();
    const answer = client.get(jobs, ref, { signal: stop.signal });
    const settled = expect(answer).rejects.toThrow("enough");
    await clock.advance(1_000);
    stop.abort(new Error("enough"));
    await settled;
    expect(clock.waitingTimers).toBe(0);
  });
});

describe("no answer", () => {
  it("is an error of status 0 that says what to check", async () => {
    const { client, count } = clientFor([new Error("connect ECONNREFUSED 127.0.0.1:6443")]);
    const thrown: unknown = await client.get(jobs, ref).catch((error: unknown) => error);
    expect(isTransient(thrown)).toBe(true);
    expect(thrown).toMatchObject({
      status: 0,
      code: "API_UNREACHABLE",
      message: expect.stringMatching(/ECONNREFUSED.*check/),
    });
    expect(count("rest_client_requests_total", { code: "<error>", method: "GET", host })).toBe(1);
  });
});

describe("the rate limit", () => {
  it("lets a burst through at once, then so many a second, in order", async () => {
    const { client, clock, transport, count } = clientFor(
      Array.from({ length: 5 }, () => json(job)),
      { qps: 2, burst: 3 },
    );
    const calls = [1, 2, 3, 4, 5].map((at) => client.get(jobs, { namespace: "shop", name: `job-${at}` }));
    await clock.advance(0);
    expect(transport.requests).toHaveLength(3);
    await clock.advance(499);
    expect(transport.requests).toHaveLength(3);
    await clock.advance(1);
    expect(transport.requests).toHaveLength(4);
    await clock.advance(500);
    await Promise.all(calls);
    expect(transport.requests.map(({ path }) => path.at(-1))).toEqual(["1", "2", "3", "4", "5"]);
    expect(count("rest_client_rate_limiter_duration_seconds", { verb: "GET", host })).toBe(5);
  });

  it("fills again, to no more than the burst", async () => {
    const { client, clock, transport } = clientFor(
      Array.from({ length: 9 }, () => json(job)),
      { qps: 1, burst: 2 },
    );
    await Promise.all([client.get(jobs, ref), client.get(jobs, ref)]);
    await clock.advance(60_000);
    const calls = [client.get(jobs, ref), client.get(jobs, ref), client.get(jobs, ref)];
    await clock.advance(0);
    expect(transport.requests).toHaveLength(4);
    await clock.advance(1_000);
    await Promise.all(calls);
  });

  it("is none for watches", async () => {
    const { client, transport } = clientFor(
      Array.from({ length: 5 }, () => ({})),
      { qps: 0.001, burst: 1 },
    );
    const watches = [1, 2, 3, 4, 5].map(async () => {
      const events = [];
      for await (const batch of client.watch(jobs, { resourceVersion: "1", timeoutSeconds: 300 })) events.push(batch);
    });
    await Promise.all(watches);
    expect(transport.requests).toHaveLength(5);
  });

  it("is none unless given", async () => {
    const { client, transport } = clientFor(Array.from({ length: 200 }, () => json(job)));
    await Promise.all(Array.from({ length: 200 }, () => client.get(jobs, ref)));
    expect(transport.requests).toHaveLength(200);
  });
});

describe("requests", () => {
  it("say who asks, what they send, and on which connections", async () => {
    const { client, transport } = clientFor(
      Array.from({ length: 6 }, () => json(job)),
      { userAgent: "me/1", fieldManager: "mine", pool: "election" },
    );
    const live = await client.get(jobs, ref);
    await client.create(jobs, { metadata: { generateName: "a-", namespace: "shop" } }, { dryRun: true });
    await client.update(jobs, live, { fieldManager: "other", subresource: "status" });
    await client.patch(
      jobs,
      ref,
      { type: "merge", body: { metadata: { labels: { a: "b" } } } },
      { resourceVersion: "7" },
    );
    await client.patch(jobs, ref, { type: "json", body: [{ op: "remove", path: "/x" }] }, { resourceVersion: "7" });
    await client.delete(jobs, ref, { uid: "u", gracePeriodSeconds: 0, propagationPolicy: "Foreground" });
    const base = "/apis/batch/v1/namespaces/shop/jobs";
    const own = { "user-agent": "me/1", accept: "application/json" };
    const sent = transport.requests.map(({ method, path, headers, body, pool }) => ({
      call: `${method} ${path}`,
      headers,
      body: body === undefined ? undefined : (JSON.parse(String(body)) as unknown),
      pool,
    }));
    const typed = (type: string): object => ({ ...own, "content-type": type });
    const identity = { apiVersion: "batch/v1", kind: "Job" };
    const version = { op: "replace", path: "/metadata/resourceVersion", value: "7" };
    const options = { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid: "u" } };
    const pool = "election";
    expect(sent).toEqual([
      { call: `GET ${base}/a`, headers: own, body: undefined, pool },
      {
        call: `POST ${base}?fieldManager=mine&dryRun=All`,
        headers: typed("application/json"),
        body: { ...identity, metadata: { generateName: "a-", namespace: "shop" } },
        pool,
      },
      { call: `PUT ${base}/a/status?fieldManager=other`, headers: typed("application/json"), body: job, pool },
      {
        call: `PATCH ${base}/a?fieldManager=mine`,
        headers: typed("application/merge-patch+json"),
        body: { metadata: { labels: { a: "b" }, resourceVersion: "7" } },
        pool,
      },
      {
        call: `PATCH ${base}/a?fieldManager=mine`,
        headers: typed("application/json-patch+json"),
        body: [version, { op: "remove", path: "/x" }],
        pool,
      },
      {
        call: `DELETE ${base}/a`,
        headers: typed("application/json"),
        body: { ...options, gracePeriodSeconds: 0, propagationPolicy: "Foreground" },
        pool,
      },
    ]);
  });

  it.each([
    ["NAMESPACE_MISSING", { name: "a" }],
    ["NAME_UNUSABLE", { namespace: "shop", name: ".." }],
    ["NAME_UNUSABLE", { namespace: "shop", name: "" }],
    ["NAME_UNUSABLE", { namespace: "..", name: "a" }],
  ])("are refused with %s for %j before they are sent", async (code, target) => {
    const { client, transport } = clientFor([]);
    await expect(client.get(jobs, target)).rejects.toMatchObject({ code });
    expect(transport.requests).toEqual([]);
  });

  it("cannot leave their path by a name", async () => {
    const { client, transport } = clientFor([json(job)]);
    await client.get(jobs, { namespace: "a/b", name: "c?d#e/../f" });
    expect(transport.requests[0]?.path).toBe("/apis/batch/v1/namespaces/a%2Fb/jobs/c%3Fd%23e%2F..%2Ff");
  });
});

describe("metrics", () => {
  it("are named once each", () => {
    const names = kubeMetrics.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
