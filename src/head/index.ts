// head/: when the API server was at which version of a kind: a second pair of eyes beside every cache.
// Promises: what the table says happened did happen, and between its first and its last version it leaves no change of the kind
// out (or says where it may have); its memory is bounded over days. Keeps no objects and takes metadata only.
// Does not judge any cache: that is lag/. Floor: just above kube/, whose lists and watches it reads.
// Start with head-table.ts, then head-watch.ts, which fills it.
export { countBefore, type HeadPoint, type HeadRead, type HeadView, type ReadSource } from "./head-view.ts";
export { HeadTable } from "./head-table.ts";
export { HeadSet } from "./head-set.ts";
export { HeadWatch, type HeadWatchOptions } from "./head-watch.ts";
export { headMetrics } from "./metrics.ts";
