import { describe } from "vitest";
import { accessContract } from "./access.ts";
import { deletesContract } from "./deletes.ts";
import { listsContract } from "./lists.ts";
import { readsContract } from "./reads.ts";
import { Client, type ContractTarget, fresh } from "./target.ts";
import { watchesContract } from "./watches.ts";
import { writesContract } from "./writes.ts";

/**
 * What a client may rely on, said over HTTP alone. Held against kube-apiserver 1.37 and against the embedded server: where the two
 * differ, the embedded one is wrong. Each test works in a namespace of its own.
 */
export function contract(name: string, target: () => ContractTarget): void {
  const client = async (): Promise<Client> => {
    const namespace = fresh("contract");
    const api = new Client(target(), namespace);
    await api.create("/api/v1/namespaces", { metadata: { name: namespace } });
    return api;
  };
  describe(name, () => {
    readsContract(client);
    listsContract(client);
    watchesContract(client);
    writesContract(client);
    deletesContract(client);
    accessContract(client);
  });
}
