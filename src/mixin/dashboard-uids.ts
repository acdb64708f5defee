/** Part of the address of a dashboard, so it never changes. */
export const CONTROLLERS_UID = "stalewatch-controllers";
