import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Dump, type JudgedOnce, kindsInFiles, judgeOnce, replayRecording } from "../../src/dump/index.ts";
import { apiVersionOf, resources } from "../../src/resources/index.ts";
import { arbitraryOf } from "../kube/arbitrary-objects.ts";
import { dumpOf, folderOf, jsonList, NOW, wireJob, yamlList } from "./files.ts";

type Json = Record<string, unknown>;

/** Objects as a server could hold them, whatever their fields; each has a name and a uid of its own. */
const objects: fc.Arbitrary<readonly Json[]> = fc
  .array(
    fc
      .constantFrom(resources.jobs, resources.pods, resources.cronJobs, resources.leases, resources.events)
      .chain((kind) => {
        const fields = arbitraryOf(kind.shape ?? { fields: [] });
        return fields.map((object) => ({ apiVersion: apiVersionOf(kind), kind: kind.kind, ...object }));
      }),
    { maxLength: 6 },
  )
  .map((all) => all.map(identified));

function identified(object: Json, index: number): Json {
  const metadata = { ...(object["metadata"] as Json | undefined), name: `o-${index}`, uid: `uid-${index}` };
  return { ...object, metadata };
}

/** What a person might save, hand on, and break. */
const texts: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 100 }).map((text) => Buffer.from(text)),
  fc
    .stringMatching(/^[-{}[\]:,"'|>&*!%@#\n a-z0-9]{0,60}$/)
    .map((text) => Buffer.from(`apiVersion: v1\nitems:\n- kind: Job\n${text}\n- kind: Job\n`)),
  fc
    .tuple(objects, fc.boolean(), fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 8 }))
    .map(([all, asYaml, changes]) => {
      const bytes = Buffer.from(asYaml ? yamlList(all) : jsonList(all));
      for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
      return bytes;
    }),
);

function judged(dump: Dump): JudgedOnce {
  return judgeOnce(dump.snapshot, { kinds: kindsInFiles(), now: NOW, rules: [], namespaces: [], all: true });
}

function messages(dump: Dump): readonly string[] {
  return dump.notes().map(({ message }) => message);
}

function jobNames({ snapshot }: Dump): readonly string[] {
  return [...snapshot.list(resources.jobs)].map(({ metadata }) => metadata.name);
}

/** What holds for dumps and recordings whatever is in them. */
export function dumpProperties(numRuns: number, timeout = 30_000): void {
  describe("whatever is in a file", { timeout }, () => {
    it("reading and judging it never throws", async () => {
      await fc.assert(
        fc.asyncProperty(texts, fc.integer({ min: 1, max: 64 }), async (bytes, chunk) => {
          judged(await dumpOf(bytes, chunk));
        }),
        { numRuns },
      );
    });

    it("replaying it ends with an answer, or says that it is no recording", async () => {
      const path = join(folderOf({}), "r.ndjson");
      const lines = fc.oneof(
        texts.map((bytes) => Buffer.from(bytes).toString()),
        fc.json(),
        recordedLines,
      );
      await fc.assert(
        fc.asyncProperty(fc.array(lines, { maxLength: 5 }), async (all) => {
          writeFileSync(path, all.join("\n"));
          const options = { kinds: kindsInFiles(), stepMs: 3_600_000, until: undefined, rules: [] };
          // Nothing that can be used is an error, and what cannot be used behind it is told with the answer.
          const replayed = await replayRecording(path, options).catch((failure: unknown) => ({ failure }));
          if (replayed.failure) expect(replayed.failure).toMatchObject({ code: "BAD_RECORDING" });
        }),
        { numRuns },
      );
    });

    it("JSON and YAML give the same objects and findings", async () => {
      await fc.assert(
        fc.asyncProperty(objects, async (all) => {
          const [json, yaml] = [await dumpOf(jsonList(all)), await dumpOf(yamlList(all))];
          for (const kind of kindsInFiles().kept)
            expect([...yaml.snapshot.list(kind)]).toEqual([...json.snapshot.list(kind)]);
          expect(judged(yaml)).toEqual(judged(json));
          expect(messages(yaml)).toEqual(messages(json));
        }),
        { numRuns },
      );
    });

    it("a dump that is cut off anywhere loses what is cut, and nothing before it", async () => {
      const all = ["a", "b", "c", "d"].map((name) => wireJob(name));
      await fc.assert(
        fc.asyncProperty(fc.boolean(), fc.double({ min: 0, max: 1, noNaN: true }), async (asYaml, part) => {
          const text = asYaml ? yamlList(all) : jsonList(all);
          const cut = text.slice(0, Math.floor(part * text.length));
          const names = jobNames(await dumpOf(cut));
          expect(["a", "b", "c", "d"].slice(0, names.length)).toEqual(names);
          // An object is whole when the next one, or the end of the list, has begun.
          const begun = cut.split(asYaml ? /^- /m : /^ {8}\{/m).length - 1;
          expect(names.length).toBeGreaterThanOrEqual(begun - 1);
        }),
        { numRuns },
      );
    });
  });
}

const recordedLines: fc.Arbitrary<string> = fc
  .tuple(
    fc.integer({ min: NOW - 86_400_000, max: NOW }),
    fc.constantFrom("LISTED", "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "WATCH_ENDED", "TARGET", "PASS", "END"),
    objects,
  )
  .map(([at, type, items]) => {
    const object = type === "LISTED" ? { apiVersion: "v1", kind: "List", items } : items[0];
    return JSON.stringify({ at: new Date(at).toISOString(), type, object });
  });
