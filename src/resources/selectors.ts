import { StalewatchError } from "../base/index.ts";

export type LabelMatcher = (labels: Readonly<Record<string, string>> | undefined) => boolean;

export interface FieldRequirement {
  /** Dotted, as `metadata.name` or `status.phase`. */
  readonly path: string;
  readonly op: "=" | "!=";
  readonly value: string;
}

/** One requirement up to its comma: `!key`, `key`, `key OP value` or `key in (a, b)`. */
const REQUIREMENT =
  /\s*(!?)\s*([^\s,()!=<>]+)(?:\s*(==?|!=|>|<)\s*([^\s,()!=<>]*)|\s+(in|notin)\s*\(([^()]*)\))?\s*(,|$)/y;
const LABEL_NAME = /^[A-Za-z0-9](?:[-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;
const LABEL_PREFIX = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/**
 * A label selector in kubectl's syntax, equality and set based; an empty one matches everything
 * (https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#api). Errors: `BAD_SELECTOR`.
 */
export function parseLabelSelector(text: string): LabelMatcher {
  const matchers = [...requirementsOf(text)];
  return (labels = {}) => matchers.every((matches) => matches(labels));
}

type Requirement = (labels: Readonly<Record<string, string>>) => boolean;

function* requirementsOf(text: string): Iterable<Requirement> {
  if (text.trim() === "") return;
  REQUIREMENT.lastIndex = 0;
  for (let more = true; more;) {
    const match = REQUIREMENT.exec(text);
    if (!match) throw badSelector("label", text);
    const [, not = "", key = "", operator, value = "", setOperator, set = "", comma] = match;
    checkLabelKey(key, text);
    yield requirement({ not: not !== "", key, operator: operator ?? setOperator, value, set }, text);
    more = comma === ",";
  }
}

interface Clause {
  not: boolean;
  key: string;
  operator: string | undefined;
  value: string;
  set: string;
}

function requirement({ not, key, operator, value, set }: Clause, text: string): Requirement {
  if (not && operator !== undefined) throw badSelector("label", text);
  switch (operator) {
    case undefined:
      return not ? (labels) => labels[key] === undefined : (labels) => labels[key] !== undefined;
    case "=":
    case "==":
      return equalTo(key, [checkLabelValue(value, text)], true);
    case "!=":
      return equalTo(key, [checkLabelValue(value, text)], false);
    case "in":
    case "notin": {
      if (set.trim() === "") throw badSelector("label", text);
      const values = set.split(",").map((item) => checkLabelValue(item.trim(), text));
      return equalTo(key, values, operator === "in");
    }
    default:
      return ordered(key, operator, value, text);
  }
}

/** A label that is absent differs from every value. */
function equalTo(key: string, values: readonly string[], wanted: boolean): Requirement {
  return (labels) => {
    const label = labels[key];
    return (label !== undefined && values.includes(label)) === wanted;
  };
}

function ordered(key: string, operator: string, value: string, text: string): Requirement {
  if (!isInteger(value)) throw badSelector("label", text);
  const bound = BigInt(value);
  return (labels) => {
    const label = labels[key];
    if (label === undefined || !isInteger(label)) return false;
    return operator === ">" ? BigInt(label) > bound : BigInt(label) < bound;
  };
}

function isInteger(text: string): boolean {
  return /^[+-]?[0-9]{1,19}$/.test(text);
}

/**
 * A field selector, `metadata.name=x,status.phase!=Running`, with `\,` `\=` and `\\` standing for themselves. Which paths a kind
 * can be selected by is the server's to say. Errors: `BAD_SELECTOR`.
 */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  if (text.trim() === "") return [];
  return splitUnescaped(text).map((term) => {
    const match = /^([^=!\\]+)(==|=|!=)((?:[^\\=]|\\[\\,=])*)$/.exec(term);
    if (!match) throw badSelector("field", text);
    const [, path = "", operator, value = ""] = match;
    return { path: path.trim(), op: operator === "!=" ? "!=" : "=", value: value.replace(/\\([\\,=])/g, "$1") };
  });
}

function splitUnescaped(text: string): string[] {
  return text.match(/(?:\\.|[^,\\])+/gs) ?? [];
}

function checkLabelKey(key: string, text: string): void {
  const slash = key.indexOf("/");
  const prefixFits = slash < 0 || LABEL_PREFIX.test(key.slice(0, slash));
  if (!prefixFits || !LABEL_NAME.test(key.slice(slash + 1))) throw badSelector("label", text);
}

function checkLabelValue(value: string, text: string): string {
  if (value !== "" && !LABEL_NAME.test(value)) throw badSelector("label", text);
  return value;
}

function badSelector(sort: "label" | "field", text: string): StalewatchError {
  const form = sort === "label" ? '"app=web,tier in (a, b),!old"' : '"metadata.name=web,status.phase!=Running"';
  return new StalewatchError("BAD_SELECTOR", `"${text}" is not a ${sort} selector`, `write it as ${form}`);
}
