// consistency/: a controller's passes see their own writes.
// Promises: an owner whose last writes a cache does not show yet is not ready; what cannot be compared holds nothing back.
// Does not wait, count or retry: the controller does. Does not know deletes that leave no version.
// Start with consistency-store.ts.
export { ConsistencyError, type UnreadyCache } from "./consistency-error.ts";
export { ConsistencyStore, type ConsistencyStoreOptions } from "./consistency-store.ts";
