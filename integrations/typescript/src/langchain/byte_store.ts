// AgentMemoryByteStore: LangChain's key-value store in shared memory, such as for cached embeddings. On the wire the same as
// byte_store.py.
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

import { BaseStore } from "@langchain/core/stores";

import { Client, type ClientOptions } from "../client.js";
import { NotFound } from "../errors.js";
import { unpacked } from "../record_log.js";

export interface ByteStoreOptions extends ClientOptions {
  /** Under whose name values are shared: through a sidecar and on Kubernetes the Agent's own. Without it "langchain". */
  agent?: string;
  /** Stores with different namespaces have nothing in common. */
  namespace?: string;
  /** A duration such as "24h". */
  ttl?: string;
}

interface Stored {
  key: string;
  value: string;
}

export class AgentMemoryByteStore extends BaseStore<string, Uint8Array> {
  lc_namespace = ["agent_memory", "stores"];
  private readonly client: Client;
  private readonly agent: string;
  private readonly prefix: string;
  private readonly ttl: string | undefined;

  constructor(options: ByteStoreOptions = {}) {
    super();
    const { agent = "langchain", namespace = "", ttl, ...client } = options;
    [this.client, this.agent, this.ttl] = [new Client(client), agent, ttl];
    this.prefix = `langchain.${digest(namespace).slice(0, 32)}.`;
  }

  async mget(keys: string[]): Promise<(Uint8Array | undefined)[]> {
    return Promise.all(keys.map(async (key) => {
      try {
        const stored = (await this.client.getShared(this.agent, this.name(key), { as: this.agent })) as Stored;
        return new Uint8Array(unpacked(stored.value, "a value is not what was saved", "store it again"));
      } catch (error) {
        if (error instanceof NotFound) return undefined;
        throw error;
      }
    }));
  }

  /** In order: one that fails leaves those before it. */
  async mset(keyValuePairs: [string, Uint8Array][]): Promise<void> {
    for (const [key, value] of keyValuePairs) {
      // Compressed, so that redaction takes no part of it for a secret.
      const stored: Stored = { key, value: deflateSync(value, { level: 1 }).toString("base64") };
      await this.client.putShared(this.agent, this.name(key), stored, { as: this.agent, ttl: this.ttl });
    }
  }

  async mdelete(keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.client.deleteShared(this.agent, this.name(key), { as: this.agent }).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error;
      });
    }
  }

  async *yieldKeys(prefix = ""): AsyncGenerator<string> {
    for await (const [name, value] of this.client.iterShared({ agent: this.agent, as: this.agent })) {
      const isOurs = name.slice(name.lastIndexOf(":") + 1).startsWith(this.prefix);
      if (isOurs && (value as Stored).key.startsWith(prefix)) yield (value as Stored).key;
    }
  }

  private name(key: string): string {
    return this.prefix + digest(key);
  }
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
