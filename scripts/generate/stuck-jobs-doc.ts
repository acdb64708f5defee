import { formatDuration } from "../../src/base/index.ts";
import { jobOrder, type KindPage, stuckKinds } from "../../src/jobs/index.ts";

/** docs/stuck-jobs.md, from the kinds. */
export function stuckJobsDoc(): string {
  const order = jobOrder.map(({ stage, kinds, final }, index) => {
    const asked = kinds.length > 0 ? kinds.map(({ id }) => id).join(", ") : "no kind yet";
    return `${index + 1}. ${stage}: ${asked}${final ? "; nothing after it is asked" : ""}`;
  });
  return `# Stuck Jobs

Generated from the kinds: \`npm run generate\`. One Job has one reason: the first that fits, in this order.

${order.join("\n")}

\`since\` comes from the API's own timestamps, so a restart of stalewatch resets nothing. A finding that is younger than its warning age
is only watched. The ages are our proposals unless a source says otherwise.

${stuckKinds.map(section).join("\n")}`;
}

function section({ id, name, sees, lookAlike, means, remedy, limits, reasons, source }: KindPage): string {
  return `## ${id} ${name}

${means}

- What is seen: ${sees}.
- Healthy look-alike: ${lookAlike}.
- Reasons: ${reasons.map((reason) => `\`${reason}\``).join(", ")}.
- Warning after ${formatDuration(limits.warningMs)}, critical after ${formatDuration(limits.criticalMs)}.
- What to do:
${remedy.map((step, index) => `  ${index + 1}. ${step}`).join("\n")}
- Reported in ${source.map((url) => `<${url}>`).join(", ")}.
`;
}
