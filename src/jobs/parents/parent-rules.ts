/** A schedule that a parent's controller keeps by itself. */
export interface ParentSchedule {
  /** What people call it: `drift check`. */
  readonly name: string;
  /** Path of its interval in seconds. Where there is none, or 0, nothing is due. */
  readonly every: string;
  /** Path of a boolean that switches it on; always on unless given. */
  readonly enabledBy?: string;
  /** Path of the time at which it was last done. */
  readonly last: string;
  /** Values of the op label of the Jobs that do it: while one runs, nothing is overdue. */
  readonly ops: readonly string[];
}

/**
 * How to read a kind whose objects get their work done by Jobs. Paths are dotted (`status.activeJob.name`), from the object's root.
 * What an object does not have is not known, and nothing is concluded from it.
 */
export interface ParentRules {
  readonly resource: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    /** The plural of the URL. */
    readonly resource: string;
    readonly namespaced: boolean;
  };
  /** Condition types that mean that it works. */
  readonly ready: readonly string[];
  /** Condition types that must not be False while one of `ready` is True. */
  readonly agreeing: readonly string[];
  /** Reasons of a condition, or words of `phase`, that mean that it is at work. */
  readonly working: readonly string[];
  /** Path of one word that says how it is. */
  readonly phase?: string;
  /** Path of the name of the Job that it counts as running. */
  readonly activeJob?: string;
  readonly jobs: {
    /** Labels of a Job with the kind and the name of its parent; without them, owner references alone join the two. */
    readonly kindLabel?: string;
    readonly nameLabel?: string;
    /** Label of a Job with what it does. */
    readonly opLabel?: string;
    /** Values of `opLabel` whose outcome the conditions tell; all unless given. */
    readonly readyOps?: readonly string[];
    /** Values of `opLabel` that a deletion waits for. Without the label, a Job's name decides. */
    readonly destroyOps: readonly string[];
  };
  /** Beginnings of the finalizers with which a deletion waits for a Job. Without any, every finalizer of a parent that has had a Job. */
  readonly finalizers?: readonly string[];
  /** Reasons of a condition that say what it waits for, and the interval after which its controller looks again. */
  readonly waits: Readonly<Record<string, string>>;
  readonly schedules: readonly ParentSchedule[];
}

/** Which objects that own Jobs are judged. */
export interface Parents {
  readonly parents: readonly ParentRules[];
  /** Also those of any other kind of custom resource that is found to own a Job, by the rules of `genericParent`. */
  readonly genericParents: boolean;
}
