/** An object that arrived whole and does not read as its kind. Never leaves kube/: callers see an opaque object. */
export class Undecodable extends Error {
  override readonly name: string = "Undecodable";
}

/** What an opaque object says about itself. Anything else that was thrown goes on. */
export function whyUndecodable(thrown: unknown): string {
  if (!(thrown instanceof Undecodable)) throw thrown;
  return thrown.message;
}
