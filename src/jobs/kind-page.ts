import { formatDuration } from "../base/index.ts";
import type { AgeLimits } from "./finding.ts";
import type { KindPage } from "./stuck-kind.ts";

/** The page of a stuck kind in Markdown, as in docs/stuck-jobs.md and in `stalewatch explain`. */
export function renderKindPage({
  id,
  name,
  sees,
  lookAlike,
  means,
  remedy,
  limits,
  reasons,
  source,
}: KindPage): string {
  return `## ${id} ${name}

${means}

- What is seen: ${sees}.
- Healthy look-alike: ${lookAlike}.
- Reasons: ${reasons.map((reason) => `\`${reason}\``).join(", ")}.
- ${agesOf(limits)}.
- What to do:
${remedy.map((step, index) => `  ${index + 1}. ${step}`).join("\n")}
- Reported in ${source.map((url) => `<${url}>`).join(", ")}.
`;
}

function agesOf({ infoMs = Number.POSITIVE_INFINITY, warningMs, criticalMs }: AgeLimits): string {
  const ages = Object.entries({ info: infoMs, warning: warningMs, critical: criticalMs });
  const text = ages
    .filter(([, ms]) => Number.isFinite(ms))
    .map(([severity, ms]) => `${severity} after ${formatDuration(ms)}`);
  const [first = "", ...others] = text;
  return [first.charAt(0).toUpperCase() + first.slice(1), ...others].join(", ");
}
