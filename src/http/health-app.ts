import type { Express, Request, Response } from "express";
import { messageOf, oneLine } from "../base/index.ts";
import { type AppEnv, makeApp, queryValues } from "./app.ts";

/** One named reason to be ready or not. Asked at every probe, so it must answer from memory. */
export interface HealthCheck {
  readonly name: string;
  check(): CheckResult;
}

export interface CheckResult {
  readonly ok: boolean;
  /** Why it is not ok; or what is degraded although it is: shown by `?verbose`, without failing anything. */
  readonly reason?: string | undefined;
}

export interface HealthChecks {
  /** The process itself: failing gets the container restarted. */
  readonly healthz: readonly HealthCheck[];
  /** Can it serve. A stale cache is told, never a failure: a sidecar that is not ready takes its host out of service. */
  readonly readyz: readonly HealthCheck[];
}

/**
 * Serves `/healthz` and `/readyz` as Kubernetes components do: "ok" with 200, or 500 with a line a check; `?verbose` shows every
 * line, `?exclude=NAME` leaves a check out, `/readyz/NAME` asks one.
 */
export function healthApp(checks: HealthChecks, env: AppEnv): Express {
  return makeApp("health", env, (app) => {
    for (const [path, list] of Object.entries(checks) as [string, readonly HealthCheck[]][]) {
      app.get(`/${path}`, (request, response) => answer(path, list, request, response));
      app.get(`/${path}/:name`, (request, response, next) => {
        const one = list.filter(({ name }) => name === request.params.name);
        if (one.length === 0) return next();
        answer(path, one, request, response);
      });
    }
  });
}

function answer(path: string, checks: readonly HealthCheck[], request: Request, response: Response): void {
  const excluded = new Set(queryValues(request, "exclude"));
  const lines: string[] = [];
  let failed = false;
  for (const check of checks) {
    if (excluded.delete(check.name)) {
      lines.push(`[+]${check.name} excluded: ok`);
      continue;
    }
    const { ok, reason } = resultOf(check);
    if (!ok) failed = true;
    const why = reason === undefined ? "" : `: ${oneLine(reason)}`;
    lines.push(`${ok ? "[+]" : "[-]"}${check.name} ${ok ? "ok" : "failed"}${why}`);
  }
  if (excluded.size > 0) lines.push(`warn: no check is named ${oneLine([...excluded].join(", "))}`);
  lines.push(`${path} check ${failed ? "failed" : "passed"}`);
  const verbose = failed || request.query["verbose"] !== undefined;
  response
    .status(failed ? 500 : 200)
    .type("text/plain")
    .send(verbose ? `${lines.join("\n")}\n` : "ok\n");
}

function resultOf(check: HealthCheck): CheckResult {
  try {
    return check.check();
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  }
}
