/** Why a stream cannot be read on. Never leaves kube/: callers get an `ApiError` of this reason. */
export class StreamError extends Error {
  override readonly name: string = "StreamError";
  readonly reason: "BrokenFrame" | "FrameTooLarge";

  constructor(reason: "BrokenFrame" | "FrameTooLarge", message: string) {
    super(message);
    this.reason = reason;
  }
}
