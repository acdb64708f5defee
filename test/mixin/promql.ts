// It asks for @lezer/lr and @lezer/highlight beside it; nothing else here needs them.
import { parser } from "@prometheus-io/lezer-promql";
import { catalog, PrometheusMeter } from "../../src/exposition/index.ts";
import type { MetricDefinition } from "../../src/telemetry/index.ts";

/** Labels that a scrape adds, whatever is scraped. */
const TARGET_LABELS = ["cluster", "namespace", "job", "instance", "pod"];

interface Selector {
  readonly metric: string;
  readonly matchers: readonly { label: string; operator: string; value: string }[];
}

interface ParsedQuery {
  readonly errors: readonly string[];
  readonly selectors: readonly Selector[];
  /** Labels named by `by`, `without`, `on`, `ignoring` and `group_left`. */
  readonly grouping: readonly string[];
}

/** Takes a query apart. Grafana's variables must have been filled in. */
export function parseQuery(query: string): ParsedQuery {
  const errors: string[] = [];
  const grouping: string[] = [];
  const selectors: { metric: string; matchers: { label: string; operator: string; value: string }[] }[] = [];
  const cursor = parser.parse(query).cursor();
  do {
    const text = query.slice(cursor.from, cursor.to);
    if (cursor.type.isError) errors.push(`cannot be parsed at ${cursor.from}: ${query}`);
    if (cursor.name === "VectorSelector") selectors.push({ metric: /^[\w:]*/.exec(text)?.[0] ?? "", matchers: [] });
    if (cursor.name === "UnquotedLabelMatcher") {
      const [, label = "", operator = "", value = ""] = /^(\w+)\s*([=!~]+)\s*"(.*)"$/s.exec(text) ?? [];
      selectors.at(-1)?.matchers.push({ label, operator, value });
    }
    if (cursor.name === "LabelName" && cursor.node.parent?.name === "GroupingLabels") grouping.push(text);
  } while (cursor.next());
  return { errors, selectors, grouping };
}

/** What a query names that nothing exports: metrics, labels, and values that a closed label does not have. */
export function strangersIn(query: string, families: ReadonlyMap<string, MetricDefinition["labels"]>): string[] {
  const { errors, selectors, grouping } = parseQuery(query);
  const strangers = [...errors];
  const known = new Set(TARGET_LABELS);
  for (const { metric, matchers } of selectors) {
    const labels = families.get(metric);
    if (!labels) strangers.push(`metric ${metric}`);
    for (const label of Object.keys(labels ?? {})) known.add(label);
    for (const { label, operator, value } of matchers) {
      const values = labels?.[label] ?? (TARGET_LABELS.includes(label) ? "open" : undefined);
      if (values === undefined) strangers.push(`label ${label} of ${metric}`);
      if (values === undefined || values === "open" || !/^[a-z_<>.|\d]+$/i.test(value)) continue;
      const asked = operator.includes("~") ? value.split("|") : [value];
      strangers.push(
        ...asked.filter((one) => !values.includes(one)).map((one) => `value ${label}="${one}" of ${metric}`),
      );
    }
  }
  strangers.push(...grouping.filter((label) => !known.has(label)).map((label) => `label ${label}`));
  return strangers;
}

/** The labels of every series name that a stalewatch process exports. */
export async function exportedFamilies(): Promise<ReadonlyMap<string, MetricDefinition["labels"]>> {
  const families = new Map<string, MetricDefinition["labels"]>([["up", {}]]); // Prometheus' own, for every target
  const page = (await new PrometheusMeter().scrape()).body.toString();
  for (const [, name = ""] of page.matchAll(/^# TYPE (\S+) /gm)) families.set(name, {});
  for (const { name, type, labels, buckets = [] } of catalog) {
    if (type !== "histogram") families.set(name, labels);
    else {
      const le = [...buckets.map(String), ...buckets.map((bound) => bound.toFixed(1)), "+Inf"];
      families.set(`${name}_bucket`, { ...labels, le });
      for (const part of ["sum", "count"]) families.set(`${name}_${part}`, labels);
    }
  }
  return families;
}

/** A dashboard's query with its variables filled in, to be parsed or asked. */
export function filledIn(query: string, range = "5m"): string {
  return query.replaceAll("$__rate_interval", range).replaceAll(/"\$\w+"/g, '".*"');
}
