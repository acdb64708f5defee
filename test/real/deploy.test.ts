import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { loadCluster } from "stalewatch";
import { systemClock } from "../../src/base/index.ts";
import { type Diagnosis, examine } from "../../src/sidecar/index.ts";
import {
  type ClusterAccess,
  clusterTools,
  describeReal,
  eventually,
  type Json,
  requireTool,
  type Rule,
  sharedCluster,
  Sidecar,
} from "./harness/index.ts";

const NAMESPACE = "stalewatch";
const deploy = join(import.meta.dirname, "../../deploy");
const COLLECTIONS: Readonly<Record<string, string>> = {
  Namespace: "/api/v1/namespaces",
  ServiceAccount: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`,
  Service: `/api/v1/namespaces/${NAMESPACE}/services`,
  Deployment: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
  ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  ClusterRoleBinding: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  Role: `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/roles`,
  RoleBinding: `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/rolebindings`,
};

const HEARTBEATS = { heartbeat: { namespace: NAMESPACE } };
const ELECTION = { leaderElection: { lease: { namespace: NAMESPACE, name: "stalewatch" } } };

/** What `kubectl kustomize` makes of an overlay. */
function built(overlay: string): Json[] {
  const text = execFileSync(requireTool("kubectl"), ["kustomize", join(deploy, "overlays", overlay)], {
    encoding: "utf8",
  });
  return parseAllDocuments(text).map((document) => document.toJS() as Json);
}

/** The part of a Role or ClusterRole that is tried one rule at a time. */
interface Role {
  readonly path: string;
  readonly rules: readonly Rule[];
}

describeReal("the manifests of deploy/ on a cluster with RBAC", [...clusterTools, "kubectl"], () => {
  let access: ClusterAccess;
  let token: string;
  const made: string[] = [];

  beforeAll(async () => {
    access = sharedCluster();
  });
  afterAll(async () => {
    for (const path of made.toReversed()) await access.raw.delete(path);
  });

  /** Creates what is not there yet. */
  async function apply(objects: readonly Json[]): Promise<void> {
    for (const object of objects) {
      const collection = COLLECTIONS[object["kind"] as string] as string;
      const path = `${collection}/${object.metadata.name}`;
      if (made.includes(path)) continue;
      await access.raw.post(collection, object);
      made.push(path);
    }
    const account = `${COLLECTIONS["ServiceAccount"]}/stalewatch/token`;
    const request = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: 3_600 },
    };
    token = ((await access.raw.post(account, request))["status"] as { token: string }).token;
  }

  function kubeconfig(): string {
    return access.kubeconfig({ credentials: { token }, namespace: NAMESPACE });
  }

  async function denied(features: object): Promise<readonly Diagnosis[]> {
    await using cluster = await loadCluster({ kubeconfig: kubeconfig() });
    const found: Diagnosis[] = [];
    const signal = AbortSignal.timeout(30_000);
    const options = { cluster, namespaces: [], watch: [], variables: {}, clock: systemClock, signal, ...features };
    for await (const diagnosis of examine(options)) found.push(diagnosis);
    return found.filter(({ ok }) => !ok);
  }

  test.each([
    { overlay: "read-only", features: {} },
    { overlay: "probes", features: {} },
    { overlay: "heartbeats", features: HEARTBEATS },
    { overlay: "replicas", features: { ...HEARTBEATS, ...ELECTION } },
  ])("$overlay gives the rights that its flags take, and none that they do not", async ({ overlay, features }) => {
    const objects = built(overlay);
    await apply(objects);
    await eventually("the doctor finds nothing to add", async () => (await denied(features)).length === 0);
    const roles: Role[] = objects
      .filter(({ kind }) => kind === "Role" || kind === "ClusterRole")
      .map(({ kind, metadata, rules }) => ({
        path: `${COLLECTIONS[kind as string]}/${metadata.name}`,
        rules: rules as Rule[],
      }));
    for (const { path, rules } of roles) {
      for (const [index, rule] of rules.entries()) {
        for (const verb of rule.verbs) {
          const less = rules.with(index, { ...rule, verbs: rule.verbs.filter((other) => other !== verb) });
          await access.raw.patch(path, { rules: less.filter(({ verbs }) => verbs.length > 0) });
          await eventually(`without ${verb} on ${String(rule.resources)} something is missing`, async () => {
            // Another rule may give this right too, to another feature.
            const [first] = await denied(features);
            return first?.found.includes(` ${verb} `) ?? isGivenTwice(rule, verb, roles);
          });
        }
      }
      await access.raw.patch(path, { rules });
    }
    await eventually("all is well again", async () => (await denied(features)).length === 0);
  });

  test("with them a sidecar beats, and is refused nothing", async () => {
    await apply(built("replicas"));
    const args = ["--heartbeat-interval=1s", "--leader-elect"];
    await using sidecar = await Sidecar.start({ kubeconfig: kubeconfig(), args });
    await eventually("both beat", async () => {
      const { heartbeats } = await sidecar.api<{ heartbeats: { state: string; answeredAt: string | null }[] }>(
        "caches",
      );
      return heartbeats.every(({ state, answeredAt }) => state === "beating" && answeredAt !== null);
    });
    expect(await sidecar.stop()).toBe(0);
    expect(sidecar.log).not.toMatch(/forbidden/i);
  });
});

/** `create` cannot be limited to a name, so that both an election and a heartbeat give it. */
function isGivenTwice(rule: Rule, verb: string, roles: readonly Role[]): boolean {
  const givers = roles
    .flatMap(({ rules }) => rules)
    .filter(({ verbs, resources }) => verbs.includes(verb) && String(resources) === String(rule.resources));
  return verb === "create" && givers.length > 1;
}
