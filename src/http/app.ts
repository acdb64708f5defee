import express, { type ErrorRequestHandler, type Express, type Request, type Response } from "express";
import helmet from "helmet";
import { messageOf } from "../base/index.ts";
import { httpRequestDuration } from "../exposition/index.ts";
import type { Env } from "../telemetry/index.ts";
import type { ErrorAnswer } from "./answers.ts";

/** Answers of this listener are data: nothing in them may be run, framed or kept. */
const headers: express.RequestHandler = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  strictTransportSecurity: false,
});

export type AppEnv = Pick<Env, "clock" | "log" | "meter">;

/**
 * An express application as all listeners want it: only reads, hard headers, every answer timed, and nothing of an error but its
 * kind told to the caller. `routes` adds what it serves.
 */
export function makeApp(
  listener: "metrics" | "health" | "status",
  env: AppEnv,
  routes: (app: Express) => void,
): Express {
  const durations = env.meter.histogram(httpRequestDuration);
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.set("query parser", "simple");
  app.use((request, response, next) => {
    const started = env.clock.monotonic();
    response.once("finish", () => {
      const code = String(response.statusCode);
      durations.labels({ listener, code }).observe((env.clock.monotonic() - started) / 1_000);
    });
    response.setHeader("cache-control", "no-store");
    if (request.method === "GET" || request.method === "HEAD") return next();
    response.setHeader("allow", "GET, HEAD");
    refuse(response, 405, "METHOD_NOT_ALLOWED", "only GET and HEAD are served here");
  }, headers);
  routes(app);
  app.use((_request, response) => refuse(response, 404, "NOT_FOUND", "nothing is served under this path"));
  const onError: ErrorRequestHandler = (error: { status?: number }, request, response, next) => {
    if (response.headersSent) return next(error);
    if (error.status !== undefined && error.status < 500) {
      return refuse(response, error.status, "BAD_REQUEST", "the request cannot be read");
    }
    env.log.error("a request failed", { listener, path: request.path, error: messageOf(error) });
    refuse(response, 500, "INTERNAL", "internal error; the log says more");
  };
  app.use(onError);
  return app;
}

export function refuse(response: Response, status: number, code: string, message: string): void {
  const answer: ErrorAnswer = { error: { code, message } };
  response.status(status).json(answer);
}

/** The values of a query parameter, however often it is given. */
export function queryValues(request: Request, name: string): readonly string[] {
  const value = request.query[name];
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === "string");
}
