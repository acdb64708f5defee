import { codesOf, messageOf } from "../base/index.ts";
import { ScrapeError, type ScrapeReason } from "./scrape-error.ts";

type Described = readonly [reason: ScrapeReason, what: string, remedy: string];

/**
 * By the codes of Node (https://nodejs.org/api/errors.html, https://nodejs.org/api/tls.html#x509-certificate-error-codes) and undici,
 * the first match counts.
 */
const DESCRIBED: readonly (readonly [codes: RegExp, ...Described])[] = [
  [/^ECONNREFUSED$/, "unreachable", "the connection is refused", "check that it runs, and the port"],
  [/^(?:ENOTFOUND|EAI_\w+)$/, "unreachable", "its host name is not known", "check the host name, and DNS"],
  [
    /^(?:EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|EADDRNOTAVAIL)$/,
    "unreachable",
    "it does not take a connection",
    "check the address, the network and network policies",
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "tls_name",
    "its certificate is for another host name",
    "use a name of the certificate in the URL",
  ],
  [
    /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA)/,
    "tls_untrusted",
    "its certificate is not trusted",
    "give its CA with --target-ca-file; a component that made its certificate itself has none: " +
      "give it one, or accept it with --target-insecure-skip-tls-verify",
  ],
  [
    /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$|^EPROTO$/,
    "not_tls",
    "it does not speak TLS",
    "write http:// in the URL, or the port that speaks TLS",
  ],
  [
    /^ERR_(?:OSSL|SSL|CRYPTO)_/,
    "credentials",
    "the certificates cannot be used, or are refused",
    "check --target-ca-file, --target-cert-file and --target-key-file",
  ],
  [/^Z_/, "not_metrics", "its answer is not the gzip that it claims to be", "check what stands before it"],
  [/^HPE_/, "not_metrics", "its answer is no HTTP", "check the port; write https:// where it speaks TLS"],
];

/** What went wrong with a page, for whoever has to mend it. `server` is `https://host:port`. */
export function describeScrapeFailure(thrown: unknown, server: string): ScrapeError {
  if (thrown instanceof ScrapeError) return thrown;
  for (const code of codesOf(thrown)) {
    const found = DESCRIBED.find(([codes]) => codes.test(code));
    if (found) {
      const [, reason, what, remedy] = found;
      return new ScrapeError(reason, `${server}: ${what}`, remedy, thrown);
    }
  }
  const what = `${server}: the connection broke: ${messageOf(thrown)}`;
  return new ScrapeError("connection_lost", what, "check its log, and what stands before it", thrown);
}
