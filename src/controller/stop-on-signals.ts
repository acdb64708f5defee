/**
 * A signal that aborts when the process is asked to stop (SIGTERM or SIGINT). Only the first request is taken: the next one
 * meets Node's default and ends the process at once.
 */
export function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals): void => {
    process.off("SIGTERM", stop);
    process.off("SIGINT", stop);
    controller.abort(new DOMException(`received ${name}`, "AbortError"));
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  return controller.signal;
}
