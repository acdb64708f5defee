import { counted, messageOf, oneLine } from "../base/index.ts";
import { kindKey, type OwnerKind, type Parent, type ParentRules, Snapshot } from "../jobs/index.ts";
import { isRecord, type Json, JsonObjects, type OpaqueObject } from "../kube/index.ts";
import {
  compareVersions,
  type DeepReadonly,
  groupVersionOf,
  isHeartbeat,
  type KubeObject,
  type Resource,
  resources,
} from "../resources/index.ts";
import { CandidateParents } from "./candidate-parents.ts";
import { DumpKinds, itemTypeOf } from "./dump-kinds.ts";
import { keptFields } from "./kept-fields.ts";
import { Notes, type Note } from "./notes.ts";
import type { Flaw, RawObject } from "./raw-object.ts";
import type { ShapeOf } from "./yaml-blocks.ts";

/** Further than this into the future no clock of a cluster is off. */
const FUTURE_MS = 5 * 60_000;

/** Lists in lists; kubectl makes none deeper. */
const DEEPEST_LIST = 3;

interface Place {
  readonly file: string;
  readonly line: number;
}

interface Read<T> {
  readonly place: Place;
  readonly name: string;
  readonly read: { readonly object: DeepReadonly<T> } | OpaqueObject;
}

/**
 * Takes what stands in files, an object at a time, into a snapshot: each as a live cache would hold it. What cannot be read becomes
 * a note, and costs nothing else.
 */
export class Dump {
  readonly snapshot: Snapshot = new Snapshot();
  readonly #kinds: DumpKinds;
  readonly #now: number;
  readonly #objects: JsonObjects = new JsonObjects();
  readonly #notes: Notes = new Notes();
  readonly #candidates: CandidateParents<Read<Parent>> | undefined;
  #parents: readonly ParentRules[] = [];
  #newestMs: number | undefined;
  #kept = 0;
  #others = 0;

  /** `now` in milliseconds is what a time may not lie after. With `findParents`, other kinds are kept too if they own Jobs. */
  constructor(kinds: readonly Resource[], now: number, findParents = false) {
    this.#kinds = new DumpKinds(kinds);
    this.#now = now;
    this.#candidates = findParents ? new CandidateParents(kinds) : undefined;
  }

  /** Objects of the kinds that were asked for, so far. */
  get kept(): number {
    return this.#kept;
  }

  /** The newest time in them that is not in the future, wall time in milliseconds: not long before the dump was made. */
  get newestMs(): number | undefined {
    return this.#newestMs;
  }

  /** Of a kind whose fields are not all kept. */
  readonly shapeOf: ShapeOf = (apiVersion, kind) => this.#kinds.find(apiVersion, kind)?.resource.shape;

  notes(): readonly Note[] {
    return this.#notes.list();
  }

  note(file: string, line: number | undefined, message: string, object?: string): void {
    this.#notes.add(file, line, message, object);
  }

  take(file: string, read: RawObject | Flaw): void {
    if ("flaw" in read) this.note(file, read.line, read.flaw);
    else this.#takeWhole({ file, line: read.line }, read);
  }

  /** After the last object of a file. */
  endFile(file: string): void {
    if (this.#kept === 0 && this.#others > 0) {
      this.note(file, undefined, `holds ${counted(this.#others, "object")}, none of a kind that is looked at here`);
    }
    this.#others = 0;
  }

  /** The kinds that were found to own Jobs. */
  get parents(): readonly ParentRules[] {
    return this.#parents;
  }

  /** After the last file. */
  end(): void {
    if (!this.#candidates) return;
    for (const job of this.snapshot.list(resources.jobs)) this.#candidates.see(job);
    const { found, tooMany } = this.#candidates.owners();
    for (const { resource, objects } of found) for (const object of objects) this.#keep(resource, object);
    const [file] = tooMany.flatMap(({ objects }) => objects.slice(0, 1)).map(({ place }) => place.file);
    if (file !== undefined) {
      const kinds = tooMany.map(({ resource }) => kindKey(resource)).join(", ");
      this.note(file, undefined, `too many kinds own Jobs, and these are not judged: ${oneLine(kinds)}`);
    }
    this.#parents = found.map(({ rules }) => rules);
  }

  #takeWhole(place: Place, { json, list }: RawObject): void {
    try {
      this.#take(place, json, list, 0);
    } catch (thrown) {
      // Lists in lists in lists: more of them than calls fit on the stack.
      if (!(thrown instanceof RangeError)) throw thrown;
      this.#skip(place, `cannot be read: ${messageOf(thrown)}`);
    }
  }

  /** `list` is the typed list around it, as far as it is known: its items need not say what they are. */
  #take(place: Place, json: unknown, list: unknown, depth: number): void {
    if (!isRecord(json)) return this.#skip(place, "is no object");
    const { apiVersion, kind } = typeOf(json, list);
    if (Array.isArray(json["items"]) && depth < DEEPEST_LIST) {
      for (const item of json["items"] as unknown[]) this.#take(place, item, json, depth + 1);
      return undefined;
    }
    if (isRecord(json["object"]) && typeof json["type"] === "string" && kind === undefined) {
      return this.#takeEvent(place, json, depth);
    }
    if (apiVersion === undefined || kind === undefined) return this.#skip(place, "has no apiVersion or no kind");
    const wanted = this.#kinds.find(apiVersion, kind);
    if (!wanted) return this.#hold(place, { ...groupVersionOf(apiVersion), kind }, json);
    if (wanted.otherVersion) {
      this.note(
        place.file,
        place.line,
        `${oneLine(kind)} of ${oneLine(apiVersion)} is read as ${wanted.resource.version}`,
      );
    }
    const { resource } = wanted;
    const read = this.#objects.read(resource, this.#keptOf(place, resource, json));
    return this.#keep(resource, { place, name: nameIn(json), read });
  }

  /** Until it is known whether its kind owns Jobs. */
  #hold(place: Place, kind: OwnerKind, json: Json): void {
    const isNamespaced = isRecord(json["metadata"]) && json["metadata"]["namespace"] !== undefined;
    const resource = this.#candidates?.resourceOf(kind, isNamespaced);
    if (!resource) this.#others += 1;
    else this.#candidates?.add(kind, { place, name: nameIn(json), read: this.#objects.read(resource, json) });
  }

  /** A line of `kubectl get --watch --output-watch-events`; a recording has lines like these, with a time. */
  #takeEvent(place: Place, json: Json, depth: number): void {
    if (json["at"] !== undefined) return this.#skip(place, "is a line of a recording, for stalewatch replay");
    if (json["type"] === "DELETED") return undefined;
    return this.#take(place, json["object"], undefined, depth + 1);
  }

  #keep<T extends KubeObject>(resource: Resource<T>, { place, name, read }: Read<T>): void {
    if ("why" in read) return this.#skip(place, `${resource.kind} ${name} cannot be read: ${read.why}`);
    const { object } = read;
    // What is only there to be measured with is nobody's.
    if (isHeartbeat(object)) return undefined;
    // A manifest that no server has seen: nothing can be said of it.
    if (!object.metadata.uid) {
      return this.#skip(place, "has no uid: a manifest, and no object of a cluster; left out", refOf(resource, object));
    }
    this.#kept += 1;
    this.#setNewest(place, resource, object);
  }

  #keptOf(place: Place, resource: Resource, json: Json): unknown {
    if (!resource.shape) return json;
    return keptFields(resource.shape, json, {
      time: (field, ms) => this.#seenTime(place, field, ms),
      withoutZone: (field) => this.note(place.file, place.line, `${field} names no time zone, and is taken for UTC`),
      unreadable: (field) => this.note(place.file, place.line, `${field} is no time, and is left out`),
    });
  }

  #setNewest<T extends KubeObject>(place: Place, resource: Resource<T>, object: DeepReadonly<T>): void {
    const known = this.snapshot.find(resource, object.metadata);
    if (known) {
      const { resourceVersion } = object.metadata;
      this.note(place.file, place.line, "stands there again; the newest counts", refOf(resource, object));
      if (compareVersions(resourceVersion, known.metadata.resourceVersion) === -1) return;
    }
    this.snapshot.set(resource, object);
  }

  #seenTime(place: Place, field: string, ms: number): void {
    if (ms <= this.#now) {
      this.#newestMs = Math.max(ms, this.#newestMs ?? ms);
      // A pod's deletionTimestamp is when its grace period ends.
    } else if (ms > this.#now + FUTURE_MS && field !== "deletionTimestamp") {
      this.note(place.file, place.line, `${field} lies in the future; its age counts as 0`);
    }
  }

  #skip({ file, line }: Place, message: string, object?: string): void {
    this.note(file, line, message, object);
  }
}

function typeOf(json: Json, list: unknown): { apiVersion: string | undefined; kind: string | undefined } {
  const inList = itemTypeOf(list);
  return {
    apiVersion: textOf(json["apiVersion"]) ?? inList?.apiVersion,
    kind: textOf(json["kind"]) ?? inList?.kind,
  };
}

/** `Job shop/export-1`. */
function refOf<T extends KubeObject>({ kind }: Resource<T>, { metadata }: DeepReadonly<T>): string {
  return oneLine(`${kind} ${metadata.namespace ? `${metadata.namespace}/` : ""}${metadata.name}`);
}

function nameIn({ metadata }: Json): string {
  return oneLine(String(isRecord(metadata) ? metadata["name"] : ""));
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
