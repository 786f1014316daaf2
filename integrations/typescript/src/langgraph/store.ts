// AgentMemoryStore: LangGraph's store in shared memory, with an index of items for searches by meaning.
import {
  BaseStore, type GetOperation, type ListNamespacesOperation, type Operation, type OperationResults, type PutOperation, type SearchItem, type SearchOperation,
} from "@langchain/langgraph-checkpoint";

import * as calls from "../calls.js";
import { Client, type ClientOptions } from "../client.js";
import { NotFound, PreconditionFailed } from "../errors.js";
import { foundOf, isRow, itemOf, listedNamespaces, matches, nameOf, projectOf, type Row, textsAt } from "./store_rows.js";

const MOST_FOUND = 100; // items that a query of the server returns at most
const ATTEMPTS = 8;

export interface StoreOptions extends ClientOptions {
  /** Under whose name values are shared: through a sidecar and on Kubernetes the Agent's own. Without it "langgraph". */
  agent?: string;
  /** The paths whose texts a search by meaning finds ("$": all of the value, also without this). */
  fields?: string[];
  /** How long a value lives after it was put. Without it, always. */
  ttlMinutes?: number;
}

export class AgentMemoryStore extends BaseStore {
  private readonly client: Client;
  private readonly agent: string;
  private readonly fields: string[];
  private readonly ttl: number | null;

  constructor(options: StoreOptions = {}) {
    super();
    const { agent = "langgraph", fields = ["$"], ttlMinutes = null, ...client } = options;
    [this.client, this.agent, this.fields, this.ttl] = [new Client(client), agent, fields, ttlMinutes];
  }

  /** Reads see what was there before the writes of the batch; of writes to one key the last counts. */
  async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = [];
    const writes = new Map<string, PutOperation>();
    let rows: Row[] | undefined;
    for (const op of operations as (GetOperation | PutOperation | SearchOperation | ListNamespacesOperation)[]) {
      if ("value" in op) {
        writes.set(nameOf(op.namespace, op.key), op);
        results.push(null);
      } else if ("key" in op) {
        const found = await this.read(nameOf(op.namespace, op.key));
        results.push(found ? itemOf(found[0]) : null);
      } else {
        rows ??= await this.allRows();
        results.push("namespacePrefix" in op ? await this.found(op, rows) : listedNamespaces(op, rows));
      }
    }
    for (const op of writes.values()) await this.write(op);
    return results as OperationResults<Op>;
  }

  /** → a row and its version. */
  private async read(name: string): Promise<[Row, string] | undefined> {
    try {
      const [value, headers] = await this.client.callWithHeaders(calls.getShared(this.agent, name, { as: this.agent }));
      return [value as Row, headers.get("etag") ?? ""];
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  private async write(op: PutOperation): Promise<void> {
    const name = nameOf(op.namespace, op.key);
    for (let attempt = 1; ; attempt++) {
      const before = await this.read(name);
      try {
        if (op.value !== null) await this.store(name, op, before);
        else if (before) {
          await this.client.deleteShared(this.agent, name, { as: this.agent, if_match: before[1] });
          await this.unindex(name, op.namespace);
        }
        return;
      } catch (error) {
        if (error instanceof NotFound) return; // deleted meanwhile
        if (!(error instanceof PreconditionFailed) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  private async store(name: string, op: PutOperation, before: [Row, string] | undefined): Promise<void> {
    const now = new Date().toISOString().replace("Z", "+00:00"); // as Python 3.10 reads it
    const row: Row = {
      namespace: op.namespace, key: op.key, value: op.value ?? {}, created_at: before?.[0].created_at ?? now, updated_at: now, ttl: this.ttl,
      fields: op.index === false ? [] : op.index ?? this.fields,
    };
    const ttl = row.ttl === null ? undefined : `${Math.round(row.ttl * 60_000)}ms`;
    await this.client.putShared(this.agent, name, row, {
      as: this.agent, ttl, if_match: before?.[1], if_none_match: before ? undefined : "*",
    });
    // Without it the row is found all the same, after those with a score.
    const texts = row.fields.includes("$") ? row.value : row.fields.flatMap((path) => textsAt(row.value, path));
    if (Object.keys(texts).length) await this.client.putItem(name, { value: texts, ttl: ttl ?? 0, project: projectOf(row.namespace) });
    else await this.unindex(name, row.namespace);
  }

  private async unindex(name: string, namespace: string[]): Promise<void> {
    try {
      await this.client.deleteItem(name, { project: projectOf(namespace) });
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  }

  /** Those changed last first. */
  private async allRows(): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const [name, value] of this.client.iterShared({ agent: this.agent, as: this.agent })) if (isRow(name, value)) rows.push(value);
    return rows.sort((one, other) => Date.parse(other.updated_at) - Date.parse(one.updated_at));
  }

  private async found(op: SearchOperation, rows: Row[]): Promise<SearchItem[]> {
    const there = rows.filter((row) => op.namespacePrefix.every((label, at) => row.namespace[at] === label) && matches(row.value, op.filter));
    const scores = op.query ? await this.scores(op.query, there) : new Map<string, number>();
    const scored = there.map((row) => ({ row, score: scores.get(nameOf(row.namespace, row.key)) }));
    scored.sort((one, other) => (other.score ?? -1) - (one.score ?? -1));
    const first = op.offset ?? 0;
    return scored.slice(first, first + (op.limit ?? 10)).map(({ row, score }) => foundOf(row, score));
  }

  /** How near the rows are to the query: each namespace is asked for its best, since a score means the same in all. */
  private async scores(query: string, rows: Row[]): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for (const project of new Set(rows.map((row) => projectOf(row.namespace)))) {
      const answer = await this.client.findItems({ query, limit: MOST_FOUND, project });
      for (const item of answer.items) found.set(item.key, Number(item.score));
    }
    return found;
  }
}
