import { codesOf, messageOf } from "../base/index.ts";

export type TransportReason =
  | "Unreachable"
  | "ConnectionLost"
  | "Timeout"
  | "TlsUntrusted"
  | "TlsClientCertificate"
  | "NotTls"
  | "CredentialsUnavailable";

/** Why no answer came, or not all of one. Never leaves kube/: callers get an `ApiError` of this reason. */
export class TransportFailure extends Error {
  override readonly name: string = "TransportFailure";
  readonly reason: TransportReason;
  readonly remedy: string;

  constructor(reason: TransportReason, message: string, remedy: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
    this.remedy = remedy;
  }
}

type Described = readonly [reason: TransportReason, what: string, remedy: string];

const untrusted = (what: string): Described => [
  "TlsUntrusted",
  what,
  "give the cluster's certificate-authority in the kubeconfig",
];

/** By the codes of Node (https://nodejs.org/api/errors.html, https://nodejs.org/api/tls.html#x509-certificate-error-codes) and undici. */
const DESCRIBED: Readonly<Record<string, Described>> = {
  ECONNREFUSED: ["Unreachable", "the connection is refused", "check that the API server runs and the address is right"],
  ENOTFOUND: ["Unreachable", "its host name is not known", "check the server's address in the kubeconfig"],
  EAI_AGAIN: ["Unreachable", "its host name cannot be looked up now", "check this machine's DNS"],
  EHOSTUNREACH: ["Unreachable", "there is no route to it", "check the network"],
  ENETUNREACH: ["Unreachable", "there is no route to it", "check the network"],
  ETIMEDOUT: ["Unreachable", "it does not take a connection", "check the network and firewalls"],
  UND_ERR_CONNECT_TIMEOUT: ["Unreachable", "it does not take a connection", "check the network and firewalls"],
  ECONNRESET: ["ConnectionLost", "the connection was reset", ""],
  EPIPE: ["ConnectionLost", "the connection was closed", ""],
  UND_ERR_SOCKET: ["ConnectionLost", "the connection was closed", ""],
  UND_ERR_DESTROYED: ["ConnectionLost", "the client is closed", ""],
  UND_ERR_CLOSED: ["ConnectionLost", "the client is closed", ""],
  UND_ERR_HEADERS_TIMEOUT: ["Timeout", "no answer came in time", ""],
  UND_ERR_BODY_TIMEOUT: ["Timeout", "nothing more came in time", ""],
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted("its certificate is self-signed and not trusted"),
  SELF_SIGNED_CERT_IN_CHAIN: untrusted("its certificate comes from a CA that is not trusted"),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted("its certificate comes from a CA that is not trusted"),
  UNABLE_TO_GET_ISSUER_CERT: untrusted("its certificate comes from a CA that is not trusted"),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted("its certificate comes from a CA that is not trusted"),
  CERT_SIGNATURE_FAILURE: untrusted("its certificate is not signed by the CA that is trusted"),
  CERT_HAS_EXPIRED: [
    "TlsUntrusted",
    "its certificate has expired",
    "renew the server's certificate, or check this machine's clock",
  ],
  CERT_NOT_YET_VALID: ["TlsUntrusted", "its certificate is not valid yet", "check this machine's clock"],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "TlsUntrusted",
    "its certificate is for another host name",
    "use that name, or set tls-server-name",
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: [
    "NotTls",
    "it does not speak TLS",
    "write http:// in the server's address, or the port that speaks TLS",
  ],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: [
    "NotTls",
    "it does not speak TLS",
    "write http:// in the server's address, or the port that speaks TLS",
  ],
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: [
    "TlsClientCertificate",
    "client certificate and key do not belong together",
    "renew both in the kubeconfig",
  ],
};

const CLIENT_CERTIFICATE: Described = [
  "TlsClientCertificate",
  "the client certificate was refused or cannot be used",
  "renew it in the kubeconfig",
];

/** `server` is `https://host:port`. */
export function describeFailure(thrown: unknown, server: string): TransportFailure {
  if (thrown instanceof TransportFailure) return thrown;
  const known = codesOf(thrown)
    .map(describe)
    .find((described) => described !== undefined);
  if (!known) {
    return new TransportFailure("ConnectionLost", `${server} cannot be called: ${messageOf(thrown)}`, "", thrown);
  }
  const [reason, what, remedy] = known;
  return new TransportFailure(reason, `${server}: ${what}`, remedy, thrown);
}

function describe(code: string): Described | undefined {
  return DESCRIBED[code] ?? (/^ERR_(?:OSSL|SSL|CRYPTO)_/.test(code) ? CLIENT_CERTIFICATE : undefined);
}
