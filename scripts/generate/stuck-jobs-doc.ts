import { jobOrder, renderKindPage, stuckKinds } from "../../src/jobs/index.ts";

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

${stuckKinds.map(renderKindPage).join("\n")}`;
}
