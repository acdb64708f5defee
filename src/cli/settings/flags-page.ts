import { runFlags } from "./run-flags.ts";
import { variableOf } from "./resolve.ts";

/** docs/flags.md: each flag of `run` with its variable and default, from the same table that the command line is read by. */
export function renderFlagsPage(): string {
  const rows = Object.entries(runFlags).map(([name, { about, repeatable, fileOnly }]) => {
    if (fileOnly) return `| \`${name}:\` in the file | | | ${about.help} |`;
    const value = about.value === undefined ? "" : ` ${about.value.replaceAll("|", String.raw`\|`)}`;
    const standard = about.standard === undefined ? (about.otherwise ?? "") : `\`${about.standard}\``;
    const help = repeatable ? `${about.help}; repeatable` : about.help;
    return `| \`--${name}${value}\` | \`${variableOf(name)}\` | ${standard} | ${help} |`;
  });
  return `# Flags of \`stalewatch run\`

A setting comes from its flag, else from its environment variable, else from the YAML file of \`--config\`, whose keys are the flags
without the dashes. An unknown flag or key is an error that names the nearest right one. In a variable, commas separate the values of
a repeatable flag; in the file it may be a list.

| flag | variable | default | what it does |
|---|---|---|---|
${rows.join("\n")}
`;
}
