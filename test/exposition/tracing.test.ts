import { execFileSync } from "node:child_process";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startTracing, type Tracing, tracingWanted } from "../../src/exposition/index.ts";
import type { LogFields, SpanContext } from "../../src/telemetry/index.ts";
import { noopLog, noopTracer } from "../../src/telemetry/index.ts";
import { ManualClock } from "./manual-clock.ts";
import { OtlpReceiver, type ReceivedSpan } from "./otlp-receiver.ts";

const cause = (digit: string): SpanContext => ({ traceId: digit.repeat(32), spanId: digit.repeat(16), traceFlags: 1 });

afterEach(() => {
  vi.unstubAllEnvs();
});

async function traced(
  options: { keepNoop?: boolean } = {},
): Promise<{ receiver: OtlpReceiver; tracing: Tracing; clock: ManualClock }> {
  const receiver = await OtlpReceiver.start();
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url);
  vi.stubEnv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json");
  const clock = new ManualClock();
  return { receiver, tracing: await startTracing({ version: "1.2.3", clock, ...options }), clock };
}

function attribute(span: ReceivedSpan | undefined, key: string): unknown {
  return Object.values(span?.attributes.find((attribute) => attribute.key === key)?.value ?? {})[0];
}

function lastedMs(span: ReceivedSpan | undefined): number {
  return Number(BigInt(span?.endTimeUnixNano ?? 0) - BigInt(span?.startTimeUnixNano ?? 0)) / 1e6;
}

describe("startTracing", () => {
  it.each([
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, false],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://c:4318" }, true],
    [{ OTEL_TRACES_EXPORTER: "otlp" }, true],
    [{ OTEL_TRACES_EXPORTER: "none", OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" }, false],
    [{ OTEL_SDK_DISABLED: "true", OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" }, false],
    [{ OTEL_SDK_DISABLED: "false", OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" }, true],
  ])("is wanted by %j: %s", (variables, wanted) => {
    expect(tracingWanted(variables)).toBe(wanted);
  });

  it("without an endpoint gives the tracer that does nothing, and loads no SDK", async () => {
    expect((await startTracing({ variables: {} })).tracer).toBe(noopTracer);
    const script = `
      import { registerHooks } from "node:module";
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const { startTracing } = await import("./src/exposition/index.ts");
      await startTracing();
      console.log(loaded.filter((url) => url.includes("@opentelemetry/sdk-")).length);`;
    const count = (variables: object): string =>
      execFileSync(process.execPath, ["--input-type=module", "-e", script], {
        env: { ...process.env, ...variables },
      }).toString();
    expect(count({ OTEL_EXPORTER_OTLP_ENDPOINT: "" })).toBe("0\n");
    expect(Number(count({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }))).toBeGreaterThan(0);
  });

  it("sends a pass with its links, attributes and children, to the traces path only", async () => {
    const { receiver, tracing, clock } = await traced();
    await using _receiver = receiver;
    const pass = tracing.tracer.startSpan("reconcile jobs", {
      kind: "consumer",
      links: [cause("1"), cause("2")],
      attributes: { "k8s.namespace.name": "shop", "stalewatch.triggers": ["add", "requeue"], absent: undefined },
    });
    pass.link(cause("3"));
    const read = tracing.tracer.startSpan("GET jobs", { kind: "client", parent: pass });
    clock.advance(40);
    read.fail(new Error("forbidden"));
    read.end();
    clock.advance(60);
    pass.set({ "stalewatch.outcome": "changed" });
    pass.end();
    pass.end();
    await tracing.stop(5_000);

    expect(receiver.paths).toEqual(["/v1/traces"]);
    expect(receiver.resource["service.name"]).toBe("stalewatch");
    const [root] = receiver.named("reconcile jobs");
    const [child] = receiver.named("GET jobs");
    expect(receiver.spans).toHaveLength(2);
    expect(root?.kind).toBe(5);
    expect(child?.kind).toBe(3);
    expect(root?.parentSpanId).toBeFalsy();
    expect(child?.parentSpanId).toBe(root?.spanId);
    expect(root?.links?.map(({ traceId }) => traceId)).toEqual([1, 2, 3].map((digit) => String(digit).repeat(32)));
    expect(attribute(root, "k8s.namespace.name")).toBe("shop");
    expect(attribute(root, "absent")).toBeUndefined();
    expect(child?.status).toEqual({ code: 2, message: "forbidden" });
    expect([lastedMs(root), lastedMs(child)]).toEqual([100, 40]);
    expect(root?.startTimeUnixNano).toBe("1767323045000000000");
  });

  it("takes the service's name from the environment", async () => {
    vi.stubEnv("OTEL_SERVICE_NAME", "shop-watch");
    const { receiver, tracing } = await traced();
    await using _receiver = receiver;
    tracing.tracer.startSpan("reconcile jobs").end();
    await tracing.stop(5_000);
    expect(receiver.resource["service.name"]).toBe("shop-watch");
  });

  it("gives up on a collector that does not answer, and says so", async () => {
    const warnings: LogFields[] = [];
    const receiver = await OtlpReceiver.start();
    await using _receiver = receiver;
    receiver.mute = true;
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url);
    const tracing = await startTracing({
      log: { ...noopLog, warn: (_message, fields = {}) => void warnings.push(fields) },
    });
    tracing.tracer.startSpan("reconcile jobs").end();
    await tracing.stop(10);
    expect(warnings).toEqual([{ problem: "the collector did not take them in time" }]);
  });
});

describe("passes that changed nothing", () => {
  it.each<[string, { outcome?: string; ms?: number; fail?: boolean; failChild?: boolean; keepNoop?: boolean }, number]>(
    [
      ["left out with its children", { outcome: "noop" }, 0],
      ["kept when something changed", { outcome: "changed" }, 2],
      ["kept when no outcome was told", {}, 2],
      ["kept when slow", { outcome: "noop", ms: 1_000 }, 2],
      ["kept when failed", { outcome: "noop", fail: true }, 2],
      ["kept when a child failed", { outcome: "noop", failChild: true }, 2],
      ["kept when asked for", { outcome: "noop", keepNoop: true }, 2],
    ],
  )("is %s", async (_name, { outcome, ms = 999, fail, failChild, keepNoop = false }, exported) => {
    const { receiver, tracing, clock } = await traced({ keepNoop });
    await using _receiver = receiver;
    const pass = tracing.tracer.startSpan("pass");
    const child = tracing.tracer.startSpan("read", { parent: pass });
    if (failChild) child.fail(new Error("no"));
    child.end();
    clock.advance(ms);
    if (fail) pass.fail(new Error("no"));
    pass.set({ "stalewatch.outcome": outcome });
    pass.end();
    expect(pass.context === undefined).toBe(exported === 0);
    await tracing.stop(5_000);
    expect(receiver.spans).toHaveLength(exported);
  });

  it("are kept when they have so many children that holding them would cost", async () => {
    const { receiver, tracing } = await traced();
    await using _receiver = receiver;
    const pass = tracing.tracer.startSpan("pass");
    for (let i = 0; i < 300; i++) tracing.tracer.startSpan("read", { parent: pass }).end();
    pass.set({ "stalewatch.outcome": "noop" });
    pass.end();
    await tracing.stop(5_000);
    expect(receiver.spans).toHaveLength(301);
  });
});
