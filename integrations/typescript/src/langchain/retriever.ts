// AgentMemoryRetriever: memories that fit a query, as LangChain's documents.
import { Document } from "@langchain/core/documents";
import { BaseRetriever, type BaseRetrieverInput } from "@langchain/core/retrievers";

import { Client, type ClientOptions } from "../client.js";
import type { Hit } from "../models.js";

const METADATA = ["title", "type", "tags", "project", "scope", "session_id", "topic_key", "created_at", "trust", "rank", "method"] as const;

export interface RetrieverOptions extends BaseRetrieverInput, ClientOptions {
  /** How many memories; without it 4. */
  k?: number;
  project?: string;
  type?: string;
}

/** The `k` best memories; `project` and `type` narrow. Memories are what others wrote: a prompt should mark them as data. */
export class AgentMemoryRetriever extends BaseRetriever {
  lc_namespace = ["agent_memory", "retrievers"];
  private readonly client: Client;
  private readonly asked: { limit: number; project: string | undefined; type: string | undefined };

  static override lc_name(): string {
    return "AgentMemoryRetriever";
  }

  constructor(options: RetrieverOptions = {}) {
    const { callbacks, tags, metadata, verbose, k = 4, project, type, ...client } = options;
    super({ ...(callbacks && { callbacks }), ...(tags && { tags }), ...(metadata && { metadata }), ...(verbose && { verbose }) });
    this.client = new Client(client);
    this.asked = { limit: k, project, type };
  }

  override async _getRelevantDocuments(query: string): Promise<Document[]> {
    return (await this.client.search({ q: query, ...this.asked })).map(documentOf);
  }
}

function documentOf(hit: Hit): Document {
  const metadata = Object.fromEntries(METADATA.filter((field) => field in hit).map((field) => [field, hit[field as keyof Hit]]));
  return new Document({ id: String(hit.id), pageContent: hit.content, metadata });
}
