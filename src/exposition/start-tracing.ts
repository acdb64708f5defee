import { type Clock, messageOf, oneLine, sleep, StalewatchError, systemClock } from "../base/index.ts";
import { type Log, noopLog, noopTracer, type Tracer } from "../telemetry/index.ts";

/** The variables of https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export interface TracingOptions {
  /** Decides whether there is tracing at all; the SDK itself reads the process's own variables. */
  variables?: EnvironmentVariables;
  version?: string;
  clock?: Clock;
  log?: Log;
  /** Also export passes that changed nothing (`--trace-noop`). */
  keepNoop?: boolean;
}

export interface Tracing {
  readonly tracer: Tracer;
  /** Exports what is left and stops, giving up after `deadlineMs`. Never rejects: what could not be sent is logged. */
  stop(deadlineMs: number): Promise<void>;
}

const off: Tracing = { tracer: noopTracer, stop: () => Promise.resolve() };

/** True when the environment asks for traces: an OTLP endpoint or a traces exporter is named, and nothing switches them off. */
export function tracingWanted(variables: EnvironmentVariables): boolean {
  const value = (name: string): string => variables[name]?.trim() ?? "";
  const exporter = value("OTEL_TRACES_EXPORTER").toLowerCase();
  if (value("OTEL_SDK_DISABLED").toLowerCase() === "true" || exporter === "none") return false;
  return [exporter, value("OTEL_EXPORTER_OTLP_ENDPOINT"), value("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")].some(
    (named) => named !== "",
  );
}

/**
 * Starts the OpenTelemetry SDK from the standard OTEL_* variables, for traces only: metrics go to Prometheus, logs to the log.
 * Without an endpoint or exporter in the environment the SDK is not even loaded. Errors: `TRACING_START` when it cannot be set up.
 */
export async function startTracing(options: TracingOptions = {}): Promise<Tracing> {
  const { variables = process.env, clock = systemClock, log = noopLog } = options;
  if (!tracingWanted(variables)) return off;
  try {
    const [{ NodeSDK }, api, { OtelTracer }] = await Promise.all([
      import("@opentelemetry/sdk-node"),
      import("@opentelemetry/api"),
      import("./otel-tracer.ts"),
    ]);
    api.diag.setLogger(diagnostics(log, clock), { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true });
    const named =
      variables["OTEL_SERVICE_NAME"] ?? /(^|,)\s*service\.name=/.exec(variables["OTEL_RESOURCE_ATTRIBUTES"] ?? "");
    const sdk = new NodeSDK({
      ...(named ? {} : { serviceName: "stalewatch" }),
      metricReaders: [],
      logRecordProcessors: [],
    });
    sdk.start();
    const tracer = new OtelTracer({
      tracer: api.trace.getTracer("stalewatch", options.version),
      clock,
      ...(options.keepNoop === undefined ? {} : { keepNoop: options.keepNoop }),
    });
    const stop = async (deadlineMs: number): Promise<void> => {
      await settled(sdk.shutdown(), deadlineMs, clock, log);
      for (const part of [api.trace, api.context, api.propagation, api.diag]) part.disable();
    };
    return { tracer, stop };
  } catch (error) {
    throw new StalewatchError("TRACING_START", "OpenTelemetry could not be started", "check the OTEL_* variables", {
      cause: error,
    });
  }
}

async function settled(shutdown: Promise<void>, deadlineMs: number, clock: Clock, log: Log): Promise<void> {
  const deadline = new AbortController();
  const late = sleep(clock, deadlineMs, deadline.signal).then(
    () => "the collector did not take them in time",
    () => undefined,
  );
  const problem = await Promise.race([shutdown.then(() => undefined, messageOf), late]);
  deadline.abort();
  if (problem !== undefined) log.warn("the last spans were not exported", { problem });
}

/** One line a minute for the same trouble: an exporter without its collector fails every few seconds. */
const REPEAT_AFTER_MS = 60_000;

/** What the SDK says about itself goes to our log. */
function diagnostics(log: Log, clock: Clock): Record<"error" | "warn" | "info" | "debug" | "verbose", DiagFunction> {
  const said = new Map<string, number>();
  const say = (level: "error" | "warn"): DiagFunction => {
    return (message) => {
      const problem = oneLine(message).slice(0, 500);
      const now = clock.monotonic();
      if (now - (said.get(problem) ?? Number.NEGATIVE_INFINITY) < REPEAT_AFTER_MS) return;
      if (said.size > 100) said.clear();
      said.set(problem, now);
      log[level]("OpenTelemetry reports", { problem });
    };
  };
  return { error: say("error"), warn: say("warn"), info: silent, debug: silent, verbose: silent };
}

function silent(): void {}

type DiagFunction = (message: string, ...args: unknown[]) => void;
