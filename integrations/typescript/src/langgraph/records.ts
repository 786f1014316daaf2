// How the state of a LangGraph thread is written down: its records, and what a thread is once they were read. Pure. On the wire
// the same as records.py.
import { createHash } from "node:crypto";

import { compareWritesSortKeys, writesSortKey } from "@langchain/langgraph-checkpoint";

import { Log } from "../record_log.js";
import { unpack } from "./msgpack.js";

export const PREFIX = "langgraph:";
export const BLOBS = "#blobs";
export const BATCH = 6 << 20; // of a body with at most 8 MiB
export const INLINE = 4 << 10; // smaller values stand in their record

/** The digest of a stored value in hexadecimal digits; in records its bytes. */
export type Ref = string;
export type Range = [first: number, count: number]; // numbers of messages
export type Version = number | string;

/** The id of the conversation that keeps a thread; ids have at most 200 bytes, with BLOBS behind. */
export function conversationOf(thread: string): string {
  const plain = PREFIX + thread;
  if (Buffer.byteLength(plain) <= 180 && thread && !thread.includes(BLOBS)) return plain;
  return `${PREFIX}sha256:${createHash("sha256").update(thread).digest("hex")}`;
}

export function digest(content: Uint8Array): Ref {
  return createHash("sha256").update(content).digest("hex");
}

export function bytesOf(ref: Ref): Uint8Array {
  return Buffer.from(ref, "hex");
}

function refOf(bytes: Uint8Array): Ref {
  return Buffer.from(bytes).toString("hex");
}

/** A checkpoint without its values. */
export interface Head {
  ns: string;
  id: string;
  parent: string | null;
  body: Ref;
  metadata: Ref;
  values: Map<string, Ref>;
}

export interface Write {
  task: string;
  index: number;
  channel: string;
  value: Ref;
  path: string;
}

/** A record as it is decoded; each kind has some of the fields. */
interface Decoded {
  kind: string;
  thread: string;
  ns: string;
  id: string;
  parent: string | null;
  body: Uint8Array;
  metadata: Uint8Array;
  values: [string, Uint8Array][];
  task: string;
  path: string;
  writes: [number, string, Uint8Array][];
  checkpoints: [string, string][];
  inline?: [Uint8Array, Uint8Array][];
  stored?: [Uint8Array, Range[]][];
  versions?: [string, Version, Uint8Array][];
}

export function keyOf(ns: string, id: string): string {
  return JSON.stringify([ns, id]);
}

/** What the records of a thread say. */
export class Thread extends Log {
  /** By keyOf. */
  readonly checkpoints = new Map<string, Head>();
  private readonly writes = new Map<string, Map<string, Write>>();
  readonly places = new Map<Ref, Uint8Array | Range[]>();
  private readonly versions = new Map<string, Ref>();

  constructor(public name: string) {
    super();
  }

  protected clear(): void {
    for (const map of [this.checkpoints, this.writes, this.places, this.versions]) map.clear();
  }

  isEmpty(): boolean {
    return this.checkpoints.size + this.writes.size === 0;
  }

  version(ns: string, channel: string, version: Version | undefined): Ref | undefined {
    return this.versions.get(JSON.stringify([ns, channel, version]));
  }

  protected override learn(content: Uint8Array): void {
    this.learnValues(unpack(content) as unknown as Decoded);
  }

  /** Its values, which later records may name. */
  private learnValues(record: Decoded): void {
    for (const [ref, content] of record.inline ?? []) this.places.set(refOf(ref), content);
    for (const [ref, ranges] of record.stored ?? []) this.places.set(refOf(ref), ranges);
    for (const [channel, version, ref] of record.versions ?? []) {
      this.versions.set(JSON.stringify([record.ns, channel, version]), refOf(ref));
    }
  }

  protected apply(content: Uint8Array): void {
    const record = unpack(content) as unknown as Decoded;
    this.learnValues(record);
    const key = keyOf(record.ns, record.id);
    if (record.kind === "checkpoint") {
      this.name = record.thread;
      this.checkpoints.set(key, {
        ns: record.ns, id: record.id, parent: record.parent, body: refOf(record.body), metadata: refOf(record.metadata),
        values: new Map(record.values.map(([channel, ref]) => [channel, refOf(ref)])),
      });
    } else if (record.kind === "writes") {
      const stored = this.writes.get(key) ?? new Map<string, Write>();
      this.writes.set(key, stored);
      for (const [index, channel, ref] of record.writes) {
        const at = JSON.stringify([record.task, index]);
        // A task that runs again writes the same; errors, interrupts and resumes replace each other.
        if (index < 0 || !stored.has(at)) stored.set(at, { task: record.task, index, channel, value: refOf(ref), path: record.path });
      }
    } else if (record.kind === "removed") {
      for (const [ns, id] of record.checkpoints) {
        this.checkpoints.delete(keyOf(ns, id));
        this.writes.delete(keyOf(ns, id));
      }
    } else if (record.kind === "deleted") {
      this.checkpoints.clear();
      this.writes.clear();
    }
  }

  latest(ns: string): string | undefined {
    return this.newest().find((head) => head.ns === ns)?.id;
  }

  /** The newest first. */
  newest(): Head[] {
    return [...this.checkpoints.values()].sort((one, other) => (one.id < other.id ? 1 : one.id > other.id ? -1 : 0));
  }

  /** In the order in which a live run applies them: path, task, index. */
  orderedWrites(head: Head): Write[] {
    const key = (write: Write) => writesSortKey(write.path, write.task, write.index);
    return [...(this.writes.get(keyOf(head.ns, head.id))?.values() ?? [])].sort((one, other) => compareWritesSortKeys(key(one), key(other)));
  }

  /** From the parent to the root, as far as it is there. */
  ancestors(ns: string, id: string | undefined): Head[] {
    const found: Head[] = [];
    let head = this.checkpoints.get(keyOf(ns, id ?? ""));
    while (head?.parent) {
      head = this.checkpoints.get(keyOf(ns, head.parent));
      if (!head || found.includes(head)) break;
      found.push(head);
    }
    return found;
  }
}
