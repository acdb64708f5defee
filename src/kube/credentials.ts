import { createHash } from "node:crypto";
import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import { type Clock, messageOf } from "../base/index.ts";
import { TransportFailure } from "./transport-failure.ts";

/** Of a connection: who the server must be, and who we are. */
export interface TlsOptions {
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  servername?: string;
  rejectUnauthorized?: boolean;
}

export interface CurrentCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsOptions;
  /** Equal for equal `tls`. */
  readonly fingerprint: string;
}

/** client-go reads token files as often; CA and client certificates are read again with them. */
const REREAD_MS = 60_000;
/** A server that refuses us for good is not to make us run a credential plugin for each call. */
const REFUSED_REREAD_MS = 5_000;

const LONGEST_REASON = 300;

/**
 * What proves who we are, as the kubeconfig says: tokens and their files, client certificates, exec plugins, OIDC, passwords. All of
 * it is read again from time to time, and after the server refused it.
 */
export class Credentials {
  readonly #config: KubeConfig;
  readonly #clock: Clock;
  #current: Promise<CurrentCredentials> | undefined;
  #readAt = 0;
  #refused = false;

  constructor(config: KubeConfig, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
  }

  /** Errors: `TransportFailure`, for example when a file is gone or a plugin fails. */
  current(): Promise<CurrentCredentials> {
    const age = this.#clock.monotonic() - this.#readAt;
    const stale = age >= (this.#refused ? REFUSED_REREAD_MS : REREAD_MS);
    if (this.#current && !stale) return this.#current;
    this.#readAt = this.#clock.monotonic();
    this.#refused = false;
    const reading = this.#read();
    this.#current = reading;
    // Those that cannot be read now may be a moment later.
    reading.catch(() => {
      if (this.#current === reading) this.#current = undefined;
    });
    return reading;
  }

  /** The server answered 401. */
  refused(): void {
    this.#refused = true;
  }

  async #read(): Promise<CurrentCredentials> {
    const options: RequestOptions & { headers: Record<string, string>; servername?: string } = { headers: {} };
    try {
      await this.#config.applyToHTTPSOptions(options);
    } catch (thrown) {
      const remedy = "check the user's entry in the kubeconfig, and the files and commands it names";
      throw new TransportFailure("CredentialsUnavailable", `no credentials: ${reasonOf(thrown)}`, remedy);
    }
    const { headers, auth, ca, cert, key, servername, rejectUnauthorized } = options;
    const tls = Object.fromEntries(
      Object.entries({ ca, cert, key, servername, rejectUnauthorized }).filter(([, value]) => value !== undefined),
    ) as TlsOptions;
    const basic = auth ? { authorization: `Basic ${Buffer.from(auth).toString("base64")}` } : {};
    return { headers: { ...basic, ...trimmed(headers) }, tls, fingerprint: fingerprintOf(tls) };
  }
}

/** A syntax error would quote what a credential plugin printed. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof SyntaxError) return "a credential plugin or token did not give what it should";
  return messageOf(thrown).slice(0, LONGEST_REASON);
}

/** A token file may end in a newline, which no header may. */
function trimmed(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
}

function fingerprintOf(tls: TlsOptions): string {
  const hash = createHash("sha256");
  for (const [name, value] of Object.entries(tls))
    hash.update(`${name}\0`).update(value instanceof Buffer ? value : String(value));
  return hash.digest("hex");
}
