import { closest } from "fastest-levenshtein";
import { StalewatchError } from "../base/index.ts";

/** The gate of waiting for one's own writes, for controllers of this kind: `StaleControllerConsistencyJob`. On unless set false. */
export function consistencyGate(kind: string): string {
  return `StaleControllerConsistency${kind}`;
}

/**
 * Reads gates as Kubernetes' `--feature-gates` writes them: "StaleControllerConsistencyJob=true,StaleControllerConsistencyPod=false".
 * Errors: `BAD_FEATURE_GATE` for a gate that is not in `known` (naming the nearest that is) and for a value that is not true or false.
 */
export function parseFeatureGates(text: string, known: readonly string[]): ReadonlyMap<string, boolean> {
  const gates = new Map<string, boolean>();
  for (const part of text.split(",").map((piece) => piece.trim())) {
    if (part === "") continue;
    const [gate = "", value = "", ...rest] = part.split("=").map((piece) => piece.trim());
    if (!known.includes(gate)) throw unknownGate(gate, known);
    if (rest.length > 0 || !/^(true|false)$/i.test(value)) {
      throw new StalewatchError(
        "BAD_FEATURE_GATE",
        `feature gate "${part}" has no true or false`,
        `write ${gate}=false`,
      );
    }
    gates.set(gate, value.toLowerCase() === "true");
  }
  return gates;
}

function unknownGate(gate: string, known: readonly string[]): StalewatchError {
  const remedy = known.length === 0 ? "there are none" : `did you mean ${closest(gate, known)}?`;
  return new StalewatchError("BAD_FEATURE_GATE", `there is no feature gate "${gate}"`, remedy);
}
