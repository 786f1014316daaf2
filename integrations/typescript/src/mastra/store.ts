// AgentMemoryStore: a storage of Mastra whose memory is the memory server or a sidecar.
import { MastraCompositeStore } from "@mastra/core/storage";

import { Client, type ClientOptions } from "../client.js";
import { AgentMemoryDomain } from "./domain.js";

export interface StoreOptions extends ClientOptions {
  /** Without it "agent-memory". */
  id?: string;
  /** Keeps what is not memory: workflows, scores, traces. Without it Mastra has no storage for them. */
  default?: MastraCompositeStore;
}

export class AgentMemoryStore extends MastraCompositeStore {
  constructor(options: StoreOptions = {}) {
    const { id = "agent-memory", default: rest, ...client } = options;
    super({ id, name: "agent-memory", domains: { memory: new AgentMemoryDomain(new Client(client)) }, ...(rest && { default: rest }) });
  }
}
