// The rows of a thread or of a resource as their records say them. Pure.
import type { StorageThreadType } from "@mastra/core/memory";
import { InMemoryDB, type ObservationalMemoryRecord, type StorageMessageType, type StorageResourceType } from "@mastra/core/storage";

import { conversationNamed, Log } from "../record_log.js";
import { read } from "./json.js";

export type Kind = typeof THREADS | typeof RESOURCES;

export const THREADS = "mastra:thread:";
export const RESOURCES = "mastra:resource:";

/** A record: rows that are new, changed or, as null, gone. What it does not name stays. */
export interface Change {
  /** All that was there before is gone. */
  cleared?: true;
  thread?: StorageThreadType;
  /** Fields of the thread's row; metadata is merged. */
  patch?: Partial<StorageThreadType>;
  messages?: [id: string, row: StorageMessageType | null][];
  resource?: StorageResourceType;
  observations?: [key: string, generations: ObservationalMemoryRecord[] | null][];
}

export function nameOf(kind: Kind, id: string): string {
  return conversationNamed(kind, id);
}

export class Rows extends Log {
  thread: StorageThreadType | undefined;
  resource: StorageResourceType | undefined;
  messages = new Map<string, StorageMessageType>();
  observations = new Map<string, ObservationalMemoryRecord[]>();
  /** Ends with the last change that this process makes of what it read. */
  busy: Promise<unknown> = Promise.resolve();

  constructor(readonly conversation: string) {
    super();
  }

  protected clear(): void {
    [this.thread, this.resource] = [undefined, undefined];
    this.messages.clear();
    this.observations.clear();
  }

  protected apply(content: Uint8Array): void {
    const change = read(content) as Change;
    if (change.cleared) this.clear();
    this.thread = change.thread ?? this.thread;
    if (change.patch && this.thread) {
      this.thread = { ...this.thread, ...change.patch, ...(change.patch.metadata && { metadata: { ...this.thread.metadata, ...change.patch.metadata } }) };
    }
    this.resource = change.resource ?? this.resource;
    for (const [id, row] of change.messages ?? []) put(this.messages, id, row);
    for (const [key, generations] of change.observations ?? []) put(this.observations, key, generations);
  }

  hasRows(): boolean {
    return this.thread !== undefined || this.resource !== undefined || this.messages.size > 0 || this.observations.size > 0;
  }
}

function put<V>(map: Map<string, V>, key: string, value: V | null): void {
  if (value === null) map.delete(key);
  else map.set(key, value);
}

/** The rows for Mastra's own operations, which change them: copies. */
export function databaseOf(all: Iterable<Rows>): InMemoryDB {
  const db = new InMemoryDB();
  for (const rows of all) {
    if (rows.thread) db.threads.set(rows.thread.id, { ...rows.thread });
    if (rows.resource) db.resources.set(rows.resource.id, { ...rows.resource });
    for (const [id, row] of rows.messages) db.messages.set(id, { ...row });
    for (const [key, generations] of rows.observations) db.observationalMemory.set(key, generations.map((each) => ({ ...each })));
  }
  return db;
}
