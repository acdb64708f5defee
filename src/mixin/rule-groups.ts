import type { RuleGroup } from "./alert-rule.ts";
import { cacheRules } from "./rules/caches.ts";
import { jobRules } from "./rules/jobs.ts";
import { lagRules } from "./rules/lag.ts";
import { passRules } from "./rules/passes.ts";
import { queueRules } from "./rules/queues.ts";
import { selfRules } from "./rules/self.ts";

/** All groups, in the order of the files. */
export const ruleGroups: readonly RuleGroup[] = [selfRules, jobRules, lagRules, cacheRules, queueRules, passRules];
