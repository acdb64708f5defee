import { Registry } from "prom-client";

/** The two text formats of a scrape: Prometheus' own and OpenMetrics 1.0, which alone carries exemplars. */
export type Format = "text" | "openmetrics";

export const contentTypes: Readonly<Record<Format, string>> = {
  text: Registry.PROMETHEUS_CONTENT_TYPE,
  openmetrics: Registry.OPENMETRICS_CONTENT_TYPE,
};

/** The format of a Content-Type that some registry announces; undefined for one that is neither. */
export function formatOf(contentType: string): Format | undefined {
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase();
  if (type === "application/openmetrics-text") return "openmetrics";
  return type === "text/plain" ? "text" : undefined;
}

/**
 * Which of the two the caller of a scrape likes better. OpenMetrics is never chosen by a wildcard: a browser and curl get text,
 * Prometheus gets what its Accept header names first (https://prometheus.io/docs/instrumenting/content_negotiation/).
 */
export function negotiateFormat(accept: string | undefined): Format {
  let openmetrics = 0;
  let text = 0;
  for (const range of (accept ?? "").split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const named = new Map(parameters.map((parameter) => parameter.split("=", 2) as [string, string | undefined]));
    const quality = Number(named.get("q") ?? 1) || 0;
    const version = named.get("version");
    if (type === "application/openmetrics-text" && (version ?? "1.0.0") === "1.0.0") {
      openmetrics = Math.max(openmetrics, quality);
    } else if (type === "text/plain" || type === "text/*" || type === "*/*") {
      text = Math.max(text, quality);
    }
  }
  return openmetrics > 0 && openmetrics >= text ? "openmetrics" : "text";
}

/** A counter's name as OpenMetrics has it for the family: its one sample is called `_total` anyway. */
export function counterName(name: string): string {
  return name.replace(/_total$/, "");
}
