import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError } from "stalewatch";
import { expect, test } from "vitest";
import { errorCodesOf } from "./error-codes.ts";

const root = join(import.meta.dirname, "../..");
const LISTENERS = "## Answers of the listeners";

/** The codes in the first cells of the tables. */
function documentedIn(text: string): string[] {
  const cells = [...text.matchAll(/^\| (`[^|]*`) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, code = ""]) => code)).toSorted();
}

function codeOf(reason: string): string {
  return new ApiError({ status: 0, reason, message: "" }).code;
}

test("docs/errors.md lists every error code of the sources, each once, and no other", () => {
  const raised = errorCodesOf(root, "src");
  const [errors = "", answers = ""] = readFileSync(join(root, "docs/errors.md"), "utf8").split(LISTENERS);
  expect(documentedIn(errors)).toEqual([...raised.codes, ...[...raised.reasons].map(codeOf)].toSorted());
  expect(documentedIn(answers)).toEqual([...raised.answers].toSorted());
  // What the server says is passed on; anything else here is a code that could not be followed to its text.
  expect([...raised.open]).toEqual(["status.reason"]);
});

test("codes are found in literals, subclasses, constants, unions, parameters, tables and returned values", () => {
  const { codes, reasons, open } = errorCodesOf(root, "test/docs/fixture");
  expect([...codes].toSorted().join(" ")).toBe("CONSTANT EITHER LITERAL OR PARAMETER SUPER UNION_A UNION_B");
  expect([...reasons].toSorted()).toEqual(["FromTable", "Returned", "Written"]);
  expect([...open]).toEqual(["said.reason"]);
});
