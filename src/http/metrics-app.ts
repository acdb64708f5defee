// oxlint-disable oxc/no-async-endpoint-handlers -- Express 5 hands a rejection to the error handler
import type { Express } from "express";
import { type AppEnv, makeApp } from "./app.ts";
import { send } from "./send.ts";

/** Whoever makes the page of metrics, in the format that a request's Accept header asks for. */
export interface MetricsSource {
  scrape(accept: string | undefined): Promise<{ readonly contentType: string; readonly body: Buffer }>;
}

/** Serves `/metrics`: Prometheus text or OpenMetrics, gzip where the scraper takes it. */
export function metricsApp(source: MetricsSource, env: AppEnv): Express {
  return makeApp("metrics", env, (app) => {
    app.get("/metrics", async (request, response) => {
      const { contentType, body } = await source.scrape(request.headers.accept);
      response.vary("accept");
      await send(request, response, contentType, body);
    });
  });
}
