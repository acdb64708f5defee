import { messageOf, StalewatchError } from "../base/index.ts";
import { isRead, readTarget, type Target } from "../lag/index.ts";
import type { Diagnosis } from "./doctor.ts";

/** As long as a target has by default when it is read again and again. */
const PATIENCE_MS = 15_000;

/** One line a target: whether it answers us, and whether it says how far its caches have come. Never throws for what it finds. */
export async function* examineTargets(targets: readonly Target[], signal: AbortSignal): AsyncGenerator<Diagnosis> {
  for (const target of targets) yield await examineTarget(target, signal);
}

async function examineTarget({ name, address, source }: Target, signal: AbortSignal): Promise<Diagnosis> {
  const check = "target";
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    const page = await source.read({ wanted: isRead, signal: AbortSignal.any([signal, patience]) });
    return { check, ...judged(name, readTarget(page)) };
  } catch (thrown) {
    if (patience.aborted) {
      const found = `${name} has not answered within ${PATIENCE_MS / 1_000} s`;
      return { check, ok: false, found, remedy: `check ${address} and the network` };
    }
    const remedy = (thrown instanceof StalewatchError && thrown.remedy) || `check ${address}`;
    return { check, ok: false, found: `${name}: ${messageOf(thrown).replace(`: ${remedy}`, "")}`, remedy };
  } finally {
    await source.close();
  }
}

function judged(name: string, { stores, leads, notes }: ReturnType<typeof readTarget>): Omit<Diagnosis, "check"> {
  if (stores.length === 0) {
    const found = `${name} answers, but does not say at which versions its caches stand`;
    const remedy =
      "kube-controller-manager does from 1.36 on; another controller when its informers of client-go have a name (docs/targets.md)";
    return { ok: false, found, remedy };
  }
  const led = leads === false ? ", and follows another leader: until it leads, they are not judged" : "";
  const odd = notes.length === 0 ? "" : `; ${notes.join("; ")}`;
  return { ok: true, found: `${name} publishes the versions of ${stores.length} caches${led}${odd}` };
}
