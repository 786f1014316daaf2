// Reads and writes threads over the routes of conversations. A thread is a conversation whose messages are its records; values over
// 4 KiB are messages of a second one, written once for each content. One POST is one commit, so a record is there as a whole or not
// at all.
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";

import * as calls from "../calls.js";
import type { Client } from "../client.js";
import { Damaged, NotFound } from "../errors.js";
import { appending, appendTo, Joined, readLog, textsOf } from "../record_log.js";
import { type Packable, pack, unpack } from "./msgpack.js";
import { BATCH, BLOBS, bytesOf, conversationOf, digest, INLINE, PREFIX, type Range, type Ref, Thread } from "./records.js";

const KEPT_THREADS = 256;
const KEPT_BYTES = 32 << 20;

/** Contents that were read or written last, up to a number of bytes. */
export class Values {
  private bytes = 0;
  private readonly kept = new Map<Ref, Uint8Array>();

  constructor(private readonly most = KEPT_BYTES) {}

  get(ref: Ref): Uint8Array | undefined {
    const content = this.kept.get(ref);
    if (content) {
      this.kept.delete(ref);
      this.kept.set(ref, content);
    }
    return content;
  }

  put(ref: Ref, content: Uint8Array): void {
    if (!this.kept.has(ref) && content.length <= this.most) {
      this.kept.set(ref, content);
      this.bytes += content.length;
    }
    for (const [oldest, dropped] of this.kept) {
      if (this.bytes <= this.most) break;
      this.kept.delete(oldest);
      this.bytes -= dropped.length;
    }
  }

  clear(): void {
    this.kept.clear();
    this.bytes = 0;
  }
}

/** The new values of one record: each content once, small ones within the record. */
export class Batch {
  readonly inline = new Map<Ref, Uint8Array>();
  readonly large = new Map<Ref, Uint8Array>();

  constructor(private readonly thread: Thread, private readonly serde: SerializerProtocol) {}

  /** → the digest as it stands in records. */
  async add(value: unknown): Promise<Uint8Array> {
    const packed = pack(await this.serde.dumpsTyped(value));
    const ref = digest(packed);
    if (!this.thread.places.has(ref)) (packed.length <= INLINE ? this.inline : this.large).set(ref, packed);
    return bytesOf(ref);
  }
}

export class ThreadLog {
  readonly values = new Values();
  private readonly threads = new Map<string, Thread>();

  constructor(private readonly client: Client, readonly serde: SerializerProtocol) {}

  thread(name: string): Thread {
    const found = this.threads.get(name) ?? new Thread(name);
    this.threads.delete(name);
    this.threads.set(name, found);
    if (this.threads.size > KEPT_THREADS) this.threads.delete(this.threads.keys().next().value as string);
    return found;
  }

  /** → the thread as it is stored now; reads only what was added since the last time. */
  async read(name: string): Promise<Thread> {
    const thread = this.thread(name);
    await readLog(this.client, thread, conversationOf(name));
    return thread;
  }

  /** Writes contents → where they are. What is stored without its record is only space. */
  private async storeLarge(thread: Thread, large: Map<Ref, Uint8Array>): Promise<[Ref, Range[]][]> {
    let todo: [Ref, string][] = [];
    for (const [ref, content] of large) todo.push(...(await textsOf(content)).map((text): [Ref, string] => [ref, text]));
    const ranges = new Map<Ref, Range[]>([...large.keys()].map((ref) => [ref, []]));
    while (todo.length) {
      let [size, taken] = [0, 0];
      for (const [, text] of todo) {
        if (taken && size + text.length > BATCH) break;
        size += text.length;
        taken++;
      }
      const now = todo.slice(0, taken);
      todo = todo.slice(taken);
      const stored = await this.client.call(appending(conversationOf(thread.name) + BLOBS, now.map(([, text]) => text)));
      let number = stored.last - now.length + 1;
      for (const [ref] of now) {
        const have = ranges.get(ref) ?? [];
        const end = have.at(-1);
        if (end && end[0] + end[1] === number) end[1]++;
        else have.push([number, 1]);
        number++;
      }
    }
    for (const [ref, content] of large) this.values.put(ref, content);
    return [...ranges];
  }

  /** Writes a record with its new values; it is on disk when the promise is fulfilled. */
  async append(thread: Thread, record: Record<string, Packable>, batch = new Batch(thread, this.serde)): Promise<void> {
    const stored = await this.storeLarge(thread, batch.large);
    const content = pack({
      ...record, inline: [...batch.inline].map(([ref, value]) => [bytesOf(ref), value]), stored: stored.map(([ref, ranges]) => [bytesOf(ref), ranges]),
    });
    await appendTo(this.client, thread, conversationOf(thread.name), content);
  }

  /** A stored value; throws Damaged if it is not what was saved. */
  async value(thread: Thread, ref: Ref): Promise<unknown> {
    const [kind, content] = unpack(await this.content(thread, ref)) as [string, Uint8Array];
    return this.serde.loadsTyped(kind, content);
  }

  private async content(thread: Thread, ref: Ref): Promise<Uint8Array> {
    const place = thread.places.get(ref);
    if (place instanceof Uint8Array) return place;
    const kept = this.values.get(ref);
    if (kept) return kept;
    const joined = new Joined();
    let found: Uint8Array | undefined;
    try {
      for (const [first, count] of place ?? []) {
        const blobs = conversationOf(thread.name) + BLOBS;
        for await (const row of this.client.iterMessages(blobs, { from: first, to: first + count - 1 })) found = joined.take(row.content ?? "") ?? found;
      }
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
    if (!found || digest(found) !== ref) {
      throw new Damaged(`a value of thread ${thread.name} is not what was saved`, { remedy: "continue from an earlier checkpoint of the thread" });
    }
    this.values.put(ref, found);
    return found;
  }

  /** Deletes the thread. A sidecar does not delete conversations: there a last record says that all before it is gone. */
  async delete(name: string): Promise<void> {
    const conversation = conversationOf(name);
    for (const one of [conversation, conversation + BLOBS]) {
      await this.client.call(calls.deleteConversation(one)).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error;
      });
    }
    const thread = await this.read(name);
    if (!thread.isEmpty()) await this.append(thread, { kind: "deleted" });
  }

  /** The threads of the caller. There is no list of conversations by the beginning of their ids, so this reads all. */
  async names(): Promise<string[]> {
    const found = new Set<string>();
    for await (const row of this.client.iterConversations({ limit: 1000 })) {
      if (row.id.startsWith(PREFIX) && !row.id.endsWith(BLOBS)) found.add(await this.nameOf(row.id));
    }
    return [...found];
  }

  private async nameOf(conversation: string): Promise<string> {
    const plain = conversation.slice(PREFIX.length);
    if (!plain.startsWith("sha256:")) return plain;
    const thread = new Thread("");
    await readLog(this.client, thread, conversation);
    return thread.name || plain;
  }
}
