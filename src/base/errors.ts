/**
 * Every error that stalewatch itself raises. `code` is stable and listed in docs/errors.md; the message says what and which
 * object or flag, `remedy` says what to do. Never holds a token, a header or a Secret's content.
 */
export class StalewatchError extends Error {
  override readonly name: string = "StalewatchError";
  readonly code: string;
  /** What the reader can do about it, as an imperative without a full stop; empty where nothing can be done. */
  readonly remedy: string;

  constructor(code: string, message: string, remedy = "", options?: { cause?: unknown }) {
    super(remedy ? `${message}: ${remedy}` : message, options);
    this.code = code;
    this.remedy = remedy;
  }
}

/** The one-line text of whatever was thrown: control characters gone, causes that add something appended. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return oneLine(String(thrown));
  const own = oneLine(thrown.message || thrown.name);
  let { cause } = thrown;
  while (cause instanceof Error && own.includes(withoutCall(cause))) cause = cause.cause;
  return cause instanceof Error ? `${own} (${messageOf(cause)})` : own;
}

/** What the system says of a file, for a message that names the file itself: Node's text ends in the call and the path. */
export function fileProblem(thrown: unknown): string {
  return thrown instanceof Error && "syscall" in thrown ? withoutCall(thrown) : messageOf(thrown);
}

function withoutCall(error: Error): string {
  const text = oneLine(error.message);
  return "syscall" in error ? text.replace(/, [a-z]+(?: '.*')?$/, "") : text;
}

/** The codes of an error and of what caused it; an AggregateError stands for a try of several addresses. */
export function codesOf(thrown: unknown): string[] {
  if (!(thrown instanceof Error)) return [];
  const own = "code" in thrown && typeof thrown.code === "string" ? [thrown.code] : [];
  const inner = thrown instanceof AggregateError ? thrown.errors.flatMap(codesOf) : [];
  return [...own, ...inner, ...codesOf(thrown.cause)];
}

/** True for the error that an aborted signal makes: somebody asked to stop, nothing failed. */
export function isAbort(thrown: unknown, signal?: AbortSignal): boolean {
  if (signal?.aborted) return true;
  return thrown instanceof Error && thrown.name === "AbortError";
}

/** Escapes what could move a terminal's cursor or fake a log line; an object's name is untrusted text everywhere. */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what this removes
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (char) => {
    return char === "\n" || char === "\t" ? " " : `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}

/** Enough to tell two names apart. */
const LONGEST_NAME = 120;

/** What somebody else has put where a name belongs, safe to print and not too long. */
export function shortName(text: string): string {
  return oneLine(text.slice(0, LONGEST_NAME));
}
