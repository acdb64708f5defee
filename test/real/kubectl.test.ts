import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resources } from "../../src/resources/index.ts";
import { EmbeddedCluster } from "../../src/testing/index.ts";
import { describeReal, requireTool } from "./harness/index.ts";

const job = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "import" },
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.test/main" }] } } },
};

/** The client that everybody has must find the embedded server to be one like any other. */
describeReal("kubectl on the embedded API server", ["kubectl"], () => {
  let cluster: EmbeddedCluster;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "stalewatch-kubectl-"));
    cluster = await EmbeddedCluster.start({ http: true });
    cluster.register({ group: "example.com", version: "v1", kind: "Run", resource: "runs" });
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig());
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("apply creates, changes nothing, changes, and is refused", async () => {
    expect(await apply(job)).toBe("job.batch/import created");
    expect(await apply(job)).toBe("job.batch/import unchanged");
    expect(await apply({ ...job, spec: { ...job.spec, suspend: true } })).toBe("job.batch/import configured");
    expect(cluster.objects.get(resources.jobs, "import")?.spec).toMatchObject({ suspend: true, backoffLimit: 6 });
    const other = apply({ ...job, spec: { ...job.spec, completionMode: "Indexed" } });
    await expect(other).rejects.toThrow(/"import" is invalid: spec\.completionMode: .* immutable/);
  });

  test("get prints a table", async () => {
    const [head, ...rows] = (await kubectl("get", "jobs")).split("\n");
    expect(head).toMatch(/^NAME +STATUS +COMPLETIONS +DURATION +AGE$/);
    expect(rows).toEqual([expect.stringMatching(/^import +Running +0\/1 /)]);
    expect(await kubectl("get", "job", "import", "--output=jsonpath={.spec.completions}")).toBe("1");
    await expect(kubectl("get", "job", "export")).rejects.toThrow('jobs.batch "export" not found');
  });

  test("describe tells a Job with its events", async () => {
    const { uid } = cluster.objects.get(resources.jobs, "import")?.metadata ?? {};
    cluster.objects.create(resources.events, {
      metadata: { name: "import.1", namespace: "default" },
      involvedObject: { apiVersion: "batch/v1", kind: "Job", namespace: "default", name: "import", uid },
      reason: "Suspended",
      message: "Job suspended",
      type: "Normal",
    });
    const told = await kubectl("describe", "job", "import");
    expect(told).toMatch(/^Name: +import$/m);
    expect(told).toMatch(/^ +Image: +example\.test\/main$/m);
    expect(told).toMatch(/Normal +Suspended .* Job suspended/);
  });

  test("explain names fields, those of a custom kind as far as they are known", async () => {
    expect(await kubectl("explain", "job.spec.backoffLimit")).toContain("FIELD: backoffLimit <integer>");
    expect(await kubectl("explain", "job.status")).toMatch(/^ +conditions\t<\[\]Object>$/m);
    expect(await kubectl("explain", "runs")).toMatch(/^KIND: +Run$/m);
    await expect(kubectl("explain", "job.spec.nonesuch")).rejects.toThrow('field "nonesuch" does not exist');
  });

  test("delete waits until the Job is gone", async () => {
    expect(await kubectl("delete", "job", "import")).toBe('job.batch "import" deleted from default namespace');
    expect(cluster.objects.list(resources.jobs)).toEqual([]);
  });

  /** What it prints; rejects with what it complains about. */
  async function kubectl(...args: readonly string[]): Promise<string> {
    const where = [`--kubeconfig=${join(folder, "kubeconfig")}`, `--cache-dir=${join(folder, "cache")}`];
    const { stdout } = await promisify(execFile)(requireTool("kubectl"), [...where, ...args]);
    return stdout.trim();
  }

  async function apply(object: object): Promise<string> {
    const file = join(folder, "object.json");
    writeFileSync(file, JSON.stringify(object));
    return kubectl("apply", `--filename=${file}`);
  }
});
