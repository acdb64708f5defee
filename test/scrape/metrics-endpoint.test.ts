import { rmSync, writeFileSync, mkdtempSync } from "node:fs";
import type { IncomingHttpHeaders, RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MetricsEndpoint, type MetricsEndpointOptions, type MetricsPage, ScrapeError } from "../../src/scrape/index.ts";
import { certificates, MetricsServer } from "./metrics-server.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stalewatch-scrape-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const PAGE = 'up{a="b"} 1\ndown 2\n';

async function read(endpoint: MetricsEndpoint, signal = new AbortController().signal): Promise<MetricsPage> {
  return await endpoint.read({ wanted: (name) => name === "up", signal });
}

async function readOnce(options: MetricsEndpointOptions, signal?: AbortSignal): Promise<MetricsPage> {
  const endpoint = new MetricsEndpoint(options);
  try {
    return await read(endpoint, signal);
  } finally {
    await endpoint.close();
  }
}

/** The failure as `[code, message]`. */
async function failureOf(options: MetricsEndpointOptions): Promise<readonly [string, string]> {
  try {
    await readOnce(options);
  } catch (thrown) {
    if (thrown instanceof ScrapeError) return [thrown.code, thrown.message];
    throw thrown;
  }
  throw new Error("it could be read");
}

describe("a /metrics", () => {
  it("is read over one connection, in the text format, without packing", async () => {
    const headers: IncomingHttpHeaders[] = [];
    await using server = await MetricsServer.start((request, response) => {
      headers.push(request.headers);
      response.setHeader("content-type", "text/plain; version=0.0.4");
      response.end(PAGE);
    });
    const endpoint = new MetricsEndpoint({ url: server.url });
    for (let time = 0; time < 3; time += 1) {
      expect((await read(endpoint)).samples.map(({ name, value }) => [name, value])).toEqual([["up", 1]]);
    }
    expect(server.connections).toBe(1);
    expect(headers[0]).toMatchObject({ accept: "text/plain;version=0.0.4", "accept-encoding": "identity" });
    expect(headers[0]).not.toHaveProperty("authorization");
    await endpoint.close();
    await server.whenAlone();
  });

  it("may have a path and a query", async () => {
    const paths: string[] = [];
    await using server = await MetricsServer.start((request, response) => {
      paths.push(request.url ?? "");
      response.end(PAGE);
    });
    await readOnce({ url: new URL("/metrics/cadvisor?only=this", server.url) });
    expect(paths).toEqual(["/metrics/cadvisor?only=this"]);
  });

  it("may be packed by whoever stands before it", async () => {
    await using server = await MetricsServer.start((_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(gzipSync(PAGE));
    });
    expect((await readOnce({ url: server.url })).samples).toHaveLength(1);
  });

  it("gets the token as it is in its file each time", async () => {
    const tokens: (string | undefined)[] = [];
    await using server = await MetricsServer.start((request, response) => {
      tokens.push(request.headers.authorization);
      response.end(PAGE);
    });
    const tokenFile = file("token", "first\n");
    const endpoint = new MetricsEndpoint({ url: server.url, tokenFile });
    await read(endpoint);
    file("token", "second");
    await read(endpoint);
    await endpoint.close();
    expect(tokens).toEqual(["Bearer first", "Bearer second"]);
  });

  it("is trusted by its CA, as it is in its file each time, or unseen", async () => {
    await using server = await MetricsServer.start(PAGE, "here");
    const caFile = file("ca.crt", certificates.here.text);
    const endpoint = new MetricsEndpoint({ url: server.url, caFile });
    await read(endpoint);
    file("ca.crt", certificates.elsewhere.text);
    await expect(read(endpoint)).rejects.toThrow("not trusted");
    file("ca.crt", certificates.here.text);
    await read(endpoint);
    await endpoint.close();
    await readOnce({ url: server.url, insecureSkipTlsVerify: true });
  });
});

const answers =
  (status: number, headers: Record<string, string> = {}, body = PAGE): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);

const cutsOff: RequestListener = (_, response) => {
  response.write(PAGE);
  setImmediate(() => response.destroy());
};

describe("a /metrics that cannot be read says why, and what to do", () => {
  it.each<[string, RequestListener, string, string]>([
    ["refuses the token", answers(401), "SCRAPE_UNAUTHORIZED", "--target-token-file"],
    ["refuses the user", answers(403), "SCRAPE_FORBIDDEN", "nonResourceURLs"],
    [
      "redirects",
      answers(302, { location: "https://thief.example/?token=s3cret" }),
      "SCRAPE_REDIRECTED",
      "not followed",
    ],
    ["has no such path", answers(404), "SCRAPE_BAD_STATUS", "404"],
    ["is ill", answers(500), "SCRAPE_BAD_STATUS", "500"],
    ["has no content", answers(204, {}, ""), "SCRAPE_BAD_STATUS", "204"],
    ["is a login page", answers(200, { "content-type": "text/html" }), "SCRAPE_NOT_METRICS", "Prometheus text format"],
    ["is packed otherwise", answers(200, { "content-encoding": "br" }), "SCRAPE_NOT_METRICS", "gzip"],
    ["is packed wrongly", answers(200, { "content-encoding": "gzip" }), "SCRAPE_NOT_METRICS", "gzip"],
    ["breaks off", cutsOff, "SCRAPE_CONNECTION_LOST", "broke"],
  ])("one that %s", async (_, listener, code, words) => {
    await using server = await MetricsServer.start(listener);
    const [found, message] = await failureOf({ url: server.url, tokenFile: file("secret", "s3cret") });
    expect(found).toBe(code);
    expect(message).toContain(words);
    expect(message).not.toContain("s3cret");
  });

  it("one that floods, in the clear and packed: it is cut off at the limit", async () => {
    const line = Buffer.from(`${"down 1 ".padEnd(1_000, "1")}\n`.repeat(1_000));
    let sent = 0;
    await using plain = await MetricsServer.start((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(line)) sent += line.length;
        sent += line.length;
      };
      response.on("drain", more);
      more();
    });
    const limits = { maxBytes: 10_000_000 };
    expect((await failureOf({ url: plain.url, limits }))[0]).toBe("SCRAPE_TOO_LARGE");
    await plain.whenAlone();
    expect(sent).toBeLessThan(100_000_000);
    const bomb = gzipSync(Buffer.alloc(100_000_000, "down 1\n"));
    await using packed = await MetricsServer.start((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    expect((await failureOf({ url: packed.url, limits }))[0]).toBe("SCRAPE_TOO_LARGE");
    await packed.whenAlone();
  });

  it("one that never ends: the reader's signal does", async () => {
    await using server = await MetricsServer.start((_, response) => void response.write(PAGE));
    const stop = new AbortController();
    const late = new ScrapeError("timeout", "too late", "wait longer");
    const reading = readOnce({ url: server.url }, stop.signal);
    setImmediate(() => stop.abort(late));
    await expect(reading).rejects.toBe(late);
    await server.whenAlone();
  });

  it("one that is not there", async () => {
    const server = await MetricsServer.start(PAGE);
    await server[Symbol.asyncDispose]();
    expect(await failureOf({ url: server.url })).toEqual(["SCRAPE_UNREACHABLE", expect.stringContaining("refused")]);
    expect((await failureOf({ url: new URL("http://no-such-host.invalid/metrics") }))[0]).toBe("SCRAPE_UNREACHABLE");
  });

  it("one with a certificate of another name, of an unknown CA, or with none", async () => {
    await using elsewhere = await MetricsServer.start(PAGE, "elsewhere");
    const wrongName = await failureOf({ url: elsewhere.url, caFile: certificates.elsewhere.certFile });
    expect(wrongName).toEqual(["SCRAPE_TLS_NAME", expect.stringContaining("another host name")]);
    await using here = await MetricsServer.start(PAGE, "here");
    const unknown = ["SCRAPE_TLS_UNTRUSTED", expect.stringContaining("--target-ca-file")];
    expect(await failureOf({ url: here.url })).toEqual(unknown);
    expect(await failureOf({ url: here.url, caFile: certificates.elsewhere.certFile })).toEqual(unknown);
    await using plain = await MetricsServer.start(PAGE);
    const noTls = await failureOf({ url: new URL(plain.url.href.replace("http:", "https:")) });
    expect(noTls).toEqual(["SCRAPE_NOT_TLS", expect.stringContaining("http://")]);
    const unasked = await failureOf({ url: new URL(here.url.href.replace("https:", "http:")) });
    expect(["SCRAPE_BAD_STATUS", "SCRAPE_CONNECTION_LOST", "SCRAPE_NOT_METRICS"]).toContain(unasked[0]);
  });

  it("one whose files are missing, empty or broken", async () => {
    await using server = await MetricsServer.start(PAGE, "here");
    const { url } = server;
    const credentials = async (options: Partial<MetricsEndpointOptions>): Promise<string> => {
      const [code, message] = await failureOf({ url, ...options });
      expect(code).toBe("SCRAPE_CREDENTIALS");
      return message;
    };
    expect(await credentials({ tokenFile: join(folder, "none") })).toContain(join(folder, "none"));
    expect(await credentials({ tokenFile: file("empty", "\n") })).toContain("holds no token");
    expect(await credentials({ tokenFile: file("two", "s3cret\r\nX-Evil: 1") })).not.toContain("s3cret");
    const broken = { certFile: certificates.here.certFile, keyFile: certificates.elsewhere.keyFile };
    expect(await credentials(broken)).toContain("--target-cert-file");
  });
});
