import { execFileSync } from "node:child_process";
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireTool } from "./tools.ts";

/** A key and a certificate, PEM, with the files that hold them. */
export interface Certificate {
  cert: string;
  key: string;
  certFile: string;
  keyFile: string;
}

const newKey = ["-newkey=ec", "-pkeyopt=ec_paramgen_curve:prime256v1", "-nodes", "-days=30"];

/** A certificate authority in a folder, and the key that signs service account tokens. */
export class Authority {
  readonly #directory: string;
  readonly ca: Certificate;

  /** Opens the authority of this folder, or makes it. */
  constructor(directory: string, name = "ca") {
    this.#directory = directory;
    this.ca = this.#files(name);
    if (existsSync(this.ca.certFile)) return;
    this.#openssl([...newKey, `-subj=/CN=${name}`, ...outputs(this.ca)]);
  }

  /** A certificate for both ends of a connection. `organization` is the Kubernetes group of a client. */
  issue(commonName: string, organization = "stalewatch"): Certificate {
    const made = this.#files(commonName.replaceAll(/[^a-z0-9-]/g, "-"));
    this.#openssl([
      ...newKey,
      `-CA=${this.ca.certFile}`,
      `-CAkey=${this.ca.keyFile}`,
      `-subj=/O=${organization}/CN=${commonName}`,
      "-addext=subjectAltName=DNS:localhost,IP:127.0.0.1",
      "-addext=extendedKeyUsage=clientAuth,serverAuth",
      "-addext=basicConstraints=critical,CA:FALSE",
      ...outputs(made),
    ]);
    return made;
  }

  /** The key pair that signs service account tokens. */
  tokenKey(): { keyFile: string; publicFile: string } {
    const keyFile = join(this.#directory, "service-account.key");
    const publicFile = join(this.#directory, "service-account.pub");
    if (!existsSync(keyFile)) {
      const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      writeFileSync(keyFile, privateKey.export({ type: "sec1", format: "pem" }), { mode: 0o600 });
      writeFileSync(publicFile, publicKey.export({ type: "spki", format: "pem" }));
    }
    return { keyFile, publicFile };
  }

  /** A well-signed service account token with these claims: the way to one that expired long ago. */
  signToken(claims: object): string {
    const key = createPrivateKey(readFileSync(this.tokenKey().keyFile));
    const signed = `${tokenPart({ alg: "ES256", typ: "JWT" })}.${tokenPart(claims)}`;
    const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  }

  #files(name: string): Certificate {
    const certFile = join(this.#directory, `${name}.crt`);
    const keyFile = join(this.#directory, `${name}.key`);
    return {
      certFile,
      keyFile,
      get cert() {
        return readFileSync(certFile, "utf8");
      },
      get key() {
        return readFileSync(keyFile, "utf8");
      },
    };
  }

  #openssl(args: readonly string[]): void {
    execFileSync(requireTool("openssl"), ["req", "-x509", ...args], { stdio: ["ignore", "ignore", "pipe"] });
  }
}

function tokenPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function outputs(certificate: Certificate): string[] {
  return [`-keyout=${certificate.keyFile}`, `-out=${certificate.certFile}`];
}
