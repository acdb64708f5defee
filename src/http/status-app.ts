// oxlint-disable oxc/no-async-endpoint-handlers -- Express 5 hands a rejection to the error handler
import type { Express, Request, Response } from "express";
import { type Clock, defined } from "../base/index.ts";
import type {
  CachesAnswer,
  CacheView,
  DelayView,
  HeartbeatView,
  IntervalsAnswer,
  JobsAnswer,
  QueuesAnswer,
  TargetsAnswer,
  TargetView,
} from "./answers.ts";
import { type AppEnv, makeApp, queryValues, refuse } from "./app.ts";
import { type IntervalsSource, intervalsView } from "./intervals-view.ts";
import { type QueueSource, queueView } from "./queue-view.ts";
import { send } from "./send.ts";

/** Where the answers of `/api/v1` come from. Asked at every request. */
export interface StatusSources {
  caches(): readonly CacheView[];
  delays(): readonly DelayView[];
  heartbeats?(): readonly HeartbeatView[];
  queues(): readonly QueueSource[];
  intervals(): readonly IntervalsSource[];
  jobs(options: { all: boolean }): Omit<JobsAnswer, "at">;
  targets(): readonly TargetView[];
}

const DEFAULT_LIMIT = 500;
const MOST_LIMIT = 10_000;
const BAD_LIMIT = `limit must be a whole number from 0 to ${MOST_LIMIT}`;

/** Serves `/api/v1/caches`, `targets`, `jobs`, `queues` and `intervals`: JSON, as in docs/api.md. */
export function statusApp(sources: StatusSources, env: AppEnv): Express {
  const { clock } = env;
  return makeApp("status", env, (app) => {
    app.get("/api/v1/caches", async (request, response) => {
      const heartbeats = sources.heartbeats?.();
      const [caches, delays] = [sources.caches(), sources.delays()];
      const answer: CachesAnswer = { at: timestamp(clock), caches, delays, ...defined({ heartbeats }) };
      await sendJson(request, response, answer);
    });
    app.get("/api/v1/targets", async (request, response) => {
      const answer: TargetsAnswer = { at: timestamp(clock), targets: sources.targets() };
      await sendJson(request, response, answer);
    });
    app.get("/api/v1/jobs", async (request, response) => {
      const all = queryValues(request, "all").some((value) => value !== "false");
      const answer: JobsAnswer = { at: timestamp(clock), ...sources.jobs({ all }) };
      await sendJson(request, response, answer);
    });
    app.get("/api/v1/queues", async (request, response) => {
      const limit = limitOf(request);
      if (limit === undefined) return refuse(response, 400, "BAD_QUERY", BAD_LIMIT);
      const controllers = sources.queues().map((source) => queueView(source, clock, limit));
      const answer: QueuesAnswer = { at: timestamp(clock), controllers };
      await sendJson(request, response, answer);
    });
    app.get("/api/v1/intervals", async (request, response) => {
      const limit = limitOf(request);
      if (limit === undefined) return refuse(response, 400, "BAD_QUERY", BAD_LIMIT);
      const controllers = sources.intervals().map((source) => intervalsView(source, clock, limit));
      const answer: IntervalsAnswer = { at: timestamp(clock), controllers };
      await sendJson(request, response, answer);
    });
  });
}

function limitOf(request: Request): number | undefined {
  const text = queryValues(request, "limit").at(-1) ?? String(DEFAULT_LIMIT);
  const limit = Number(text);
  return /^\d+$/.test(text) && limit <= MOST_LIMIT ? limit : undefined;
}

function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

async function sendJson(request: Request, response: Response, answer: object): Promise<void> {
  await send(request, response, "application/json; charset=utf-8", Buffer.from(`${JSON.stringify(answer)}\n`));
}
