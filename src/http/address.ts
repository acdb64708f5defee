import { isIPv4, isIPv6 } from "node:net";
import { StalewatchError } from "../base/index.ts";

export interface BindAddress {
  /** Undefined binds every interface. */
  readonly host: string | undefined;
  /** 0 picks a free port. */
  readonly port: number;
}

/**
 * Reads a bind address as Kubernetes components take it: ":8443", "127.0.0.1:8080", "[::1]:0"; "0" switches the listener off and
 * gives undefined. Errors: `BAD_ADDRESS`, naming the flag.
 */
export function parseBindAddress(text: string, flag: string): BindAddress | undefined {
  if (text === "0") return undefined;
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const [, bracketed, plain, digits] = match ?? [];
  const port = Number(digits);
  if (!match || port > 65_535 || (bracketed !== undefined && !isIPv6(bracketed))) {
    throw new StalewatchError(
      "BAD_ADDRESS",
      `${flag}: "${text}" is not an address to bind`,
      'write it as "127.0.0.1:8080", "[::1]:8080" or ":8080", or "0" to switch it off',
    );
  }
  return { host: bracketed ?? (plain === "" ? undefined : plain), port };
}

/** True when nobody outside this machine (in a pod: outside this pod) can reach the address. */
export function isLoopback({ host }: BindAddress): boolean {
  if (host === undefined) return false;
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

/** The address as a URL's authority. */
export function authorityOf(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}
