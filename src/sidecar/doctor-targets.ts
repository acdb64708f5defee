import { counted, type Clock, messageOf, StalewatchError } from "../base/index.ts";
import { readPage, readTarget, type Target } from "../lag/index.ts";
import type { Diagnosis } from "./doctor.ts";

/** One line a target: whether it answers us, and whether it says how far its caches have come. Never throws for what it finds. */
export async function* examineTargets(
  targets: readonly Target[],
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): AsyncGenerator<Diagnosis> {
  for (const target of targets) yield await examineTarget(target, clock, signal);
}

async function examineTarget(target: Target, clock: Clock, signal: AbortSignal): Promise<Diagnosis> {
  const { name, address, source } = target;
  const check = "target";
  try {
    return { check, ...judged(name, readTarget(await readPage(target, clock, signal))) };
  } catch (thrown) {
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
  return { ok: true, found: `${name} publishes the versions of ${counted(stores.length, "cache")}${led}${odd}` };
}
