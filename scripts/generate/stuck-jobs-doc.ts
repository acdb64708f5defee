import {
  captfParents,
  cronJobOrder,
  jobOrder,
  leaseOrder,
  parentOrder,
  podOrder,
  renderKindPage,
  type Stage,
  stuckKinds,
  workloadOrder,
} from "../../src/jobs/index.ts";

/** docs/stuck-jobs.md, from the kinds. */
export function stuckJobsDoc(): string {
  return `# Stuck Jobs

Generated from the kinds: \`npm run generate\`. One object has one reason. The stages are asked in this order, and the kinds of a stage
likewise; the first that sees something old enough to count is told, or else the first that is only watched.

${orderOf("A Job", jobOrder)}
${orderOf("A pod that no Job speaks for", podOrder)}
${orderOf("A CronJob", cronJobOrder)}
${orderOf("A Lease", leaseOrder)}
${captfParents
  .slice(0, 1)
  .map((rules) => orderOf("A parent, of a kind that `--parents` names", parentOrder(rules)))
  .join("")}
${orderOf("A Workload of Kueue", workloadOrder)}
\`since\` comes from the API's own timestamps, so a restart of stalewatch resets nothing. A finding that is younger than its warning age
is only watched. The ages are our proposals unless a source says otherwise.

${stuckKinds.map(renderKindPage).join("\n")}`;
}

function orderOf(subject: string, stages: readonly Pick<Stage<never>, "stage" | "kinds" | "final">[]): string {
  const lines = stages.map(({ stage, kinds, final }, index) => {
    const asked = kinds.length > 0 ? kinds.map(({ id }) => id).join(", ") : "no kind";
    return `${index + 1}. ${stage}: ${asked}${final ? "; nothing after it is asked" : ""}`;
  });
  return `${subject}:\n\n${lines.join("\n")}\n`;
}
