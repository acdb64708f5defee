import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { ClusterAccess } from "../harness/index.ts";
import { eventually, freePort } from "../harness/index.ts";
import type { Place } from "./place.ts";

/** An admission webhook that denies whatever it is asked, and those who ask it: the pods of single namespaces. */
export class Webhooks implements AsyncDisposable {
  readonly #access: ClusterAccess;
  readonly #server: Server;

  private constructor(access: ClusterAccess) {
    this.#access = access;
    const { cert, key } = access.authority.issue("webhook");
    this.#server = createServer({ cert, key }, (request, response) => void deny(request, response));
  }

  static async start(access: ClusterAccess): Promise<Webhooks> {
    const webhooks = new Webhooks(access);
    webhooks.#server.listen(0, "127.0.0.1");
    await once(webhooks.#server, "listening");
    return webhooks;
  }

  /** From now on nobody may make a pod there. */
  async denyNewPods(place: Place): Promise<void> {
    await this.#ask(place, "CREATE", (this.#server.address() as AddressInfo).port);
    await this.#untilRefused(place, "POST", `${place.core}/pods?dryRun=All`, probePod);
  }

  /** From now on nobody may make a pod there, because the webhook that must be asked does not answer. */
  async loseWebhookFor(place: Place): Promise<void> {
    await this.#ask(place, "CREATE", await freePort());
    await this.#untilRefused(place, "POST", `${place.core}/pods?dryRun=All`, probePod);
  }

  /** From now on nobody may change a pod there: its finalizers stay. Its status and its deletion are another matter. */
  async denyChangesOf(place: Place, pod: string): Promise<void> {
    await this.#ask(place, "UPDATE", (this.#server.address() as AddressInfo).port);
    const change = { metadata: { annotations: { probe: "1" } } };
    await this.#untilRefused(place, "PATCH", `${place.core}/pods/${pod}?dryRun=All`, change);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #ask({ namespace }: Place, operation: string, port: number): Promise<void> {
    await this.#access.raw.post("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: namespace },
      webhooks: [
        {
          name: `${namespace}.example.com`,
          clientConfig: {
            url: `https://127.0.0.1:${port}/`,
            caBundle: Buffer.from(this.#access.authority.ca.cert).toString("base64"),
          },
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: [operation], resources: ["pods"] }],
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          timeoutSeconds: 2,
        },
      ],
    });
  }

  /** The API server learns of its webhooks by a watch of its own. */
  async #untilRefused({ namespace }: Place, method: string, path: string, body: object): Promise<void> {
    const headers = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
    await eventually(`the webhook of ${namespace} is asked`, async () => {
      const { body: answer } = await this.#access.raw.exchange(method, path, body, headers);
      return answer.toString().includes(`${namespace}.example.com`);
    });
  }
}

async function deny(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { uid } = ((await json(request)) as { request: { uid: string } }).request;
  const review = { uid, allowed: false, status: { code: 403, message: "not with this label" } };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: review }));
}

const probePod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "probe" },
  spec: { containers: [{ name: "main", image: "registry.example.com/main:1" }] },
};
