/**
 * What everybody shares who waits for one controller of kube-controller-manager: when it is down or has no leader, whatever it should
 * have done is one cause, and one page.
 */
export const controllerCause = {
  job: "Job controller",
  cronJob: "CronJob controller",
  ttl: "TTL controller",
} as const;
