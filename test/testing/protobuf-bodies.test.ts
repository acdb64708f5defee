import { describe, expect, test } from "vitest";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases";

interface Exchanged {
  status: number;
  bytes: Buffer;
}

async function exchange(
  cluster: EmbeddedCluster,
  method: "GET" | "PUT" | "POST",
  path: string,
  body?: Uint8Array,
): Promise<Exchanged> {
  const { status, body: stream } = await cluster.transport().exchange({
    method,
    path,
    headers: { accept: `${PROTOBUF}, application/json`, "content-type": PROTOBUF },
    pool: "requests",
    ...(body && { body }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return { status, bytes: Buffer.concat(chunks) };
}

/** A length-delimited field; everything here is shorter than 128 bytes. */
function field(number: number, ...content: (string | Uint8Array)[]): Buffer {
  const bytes = Buffer.concat(content.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
}

/** `k8s\0` and Unknown{typeMeta, raw}. */
function envelope(apiVersion: string, kind: string, ...fields: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from("k8s\0"), field(1, field(1, apiVersion), field(2, kind)), field(2, ...fields)]);
}

describe("protobuf bodies", () => {
  test.each([
    [CONFIG_MAPS, resources.configMaps, { data: { a: "1", b: "" } }],
    [LEASES, resources.leases, { spec: { renewTime: "2026-01-01T00:00:00.123456Z", leaseTransitions: 0 } }],
  ] as const)("an object that is put back as it came changes nothing: %s", async (path, resource, content) => {
    await using cluster = await EmbeddedCluster.start();
    const metadata = { name: "a", labels: { l: "x" }, finalizers: ["contract.test/one", "contract.test/two"] };
    cluster.objects.create(resource, { metadata, ...content });
    const before = cluster.currentVersion();
    const { bytes } = await exchange(cluster, "GET", `${path}/a`);
    expect((await exchange(cluster, "PUT", `${path}/a`, bytes)).status).toBe(200);
    expect(cluster.currentVersion()).toBe(before);
  });

  test("what is created is stored", async () => {
    await using cluster = await EmbeddedCluster.start();
    const body = envelope("v1", "ConfigMap", field(1, field(1, "made")), field(2, field(1, "k"), field(2, "v")));
    expect((await exchange(cluster, "POST", CONFIG_MAPS, body)).status).toBe(201);
    expect(cluster.objects.get(resources.configMaps, "made")?.data).toEqual({ k: "v" });
  });

  test("a field that this server does not know is refused, not dropped", async () => {
    await using cluster = await EmbeddedCluster.start();
    const binaryData = field(3, field(1, "k"), field(2, "v"));
    const body = envelope("v1", "ConfigMap", field(1, field(1, "made")), binaryData);
    expect((await exchange(cluster, "POST", CONFIG_MAPS, body)).status).toBe(415);
    expect(cluster.objects.list(resources.configMaps)).toEqual([]);
  });

  test.each([
    ["cut off", envelope("v1", "ConfigMap", field(1, field(1, "made"))).subarray(0, 30)],
    ["of another kind", envelope("v1", "Pod", field(1, field(1, "made")))],
    ["no protobuf at all", Buffer.from('{"metadata":{"name":"made"}}')],
  ])("one that is %s is 400", async (_, body) => {
    await using cluster = await EmbeddedCluster.start();
    expect((await exchange(cluster, "POST", CONFIG_MAPS, body)).status).toBe(400);
  });

  test("an access review is understood", async () => {
    await using cluster = await EmbeddedCluster.start();
    cluster.forbid({ verb: "list", resource: "pods" });
    const asked = async (verb: string): Promise<string> => {
      const attributes = field(1, field(2, verb), field(5, "pods"));
      const body = envelope("authorization.k8s.io/v1", "SelfSubjectAccessReview", field(2, attributes));
      return (
        await exchange(cluster, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body)
      ).bytes.toString();
    };
    expect(JSON.parse(await asked("list"))).toMatchObject({ status: { allowed: false } });
    expect(JSON.parse(await asked("watch"))).toMatchObject({ status: { allowed: true } });
  });
});
