import type { Panel } from "./panels.ts";

/** A titled part of a dashboard. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}
