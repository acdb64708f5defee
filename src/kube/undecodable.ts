/** An object that arrived whole and does not read as its kind. Never leaves kube/: callers see an opaque object. */
export class Undecodable extends Error {
  override readonly name: string = "Undecodable";
}
