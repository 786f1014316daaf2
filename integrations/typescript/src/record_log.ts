// A conversation as a log of records: each record is one or several messages, written in one commit. What a log is once its
// records were read is up to whoever extends Log. For adapters; on the wire the same as record_log.py.
import { createHash, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { deflate, inflateSync } from "node:zlib";

import * as calls from "./calls.js";
import type { Client } from "./client.js";
import { Damaged, NotFound } from "./errors.js";
import type { Appended, Message } from "./models.js";
import { after, type Call } from "./wire.js";

const FORM = "am1";
// A sidecar cuts the middle out of strings over 256 KiB.
const CHUNK = 96 << 10;
// Before each record, so that one that was sent again after a lost answer counts once; as many are remembered.
const ID = 12;
const REMEMBERED = 4096;

/** Content as texts of messages. It is compressed, so that redaction takes no part of it for a secret. */
export async function textsOf(content: Uint8Array): Promise<string[]> {
  const packed = (await promisify<Uint8Array, { level: number }, Buffer>(deflate)(content, { level: 1 })).toString("base64");
  const parts = packed.match(new RegExp(`.{1,${CHUNK}}`, "g")) ?? [];
  return parts.map((part, at) => `${FORM} ${at + 1}/${parts.length} ${part}`);
}

/** Joins texts of messages to contents; takes them in order, ignores what is not ours. */
export class Joined {
  private parts: string[] = [];

  take(text: string): Uint8Array | undefined {
    const head = /^am1 (\d+)\/(\d+) /.exec(text);
    if (!head) return undefined;
    const [number, of] = [Number(head[1]), Number(head[2])];
    if (number !== this.parts.length + 1) {
      this.parts = [];
      if (number !== 1) return undefined;
    }
    this.parts.push(text.slice(head[0].length));
    if (number < of) return undefined;
    const packed = this.parts.join("");
    this.parts = [];
    return unpacked(packed, "a record is not what was saved", "continue from an earlier state, and see what changes messages on the way");
  }
}

/** Content of base64 and zlib; throws Damaged if it is neither. */
export function unpacked(packed: string, what: string, remedy: string): Uint8Array {
  try {
    return inflateSync(Buffer.from(packed, "base64"));
  } catch (error) {
    throw new Damaged(what, { remedy, cause: error });
  }
}

/** The id of the conversation that keeps a log; ids have at most 200 bytes. */
export function conversationNamed(prefix: string, name: string): string {
  const plain = prefix + name;
  return name && Buffer.byteLength(plain) <= 200 ? plain : `${prefix}sha256:${createHash("sha256").update(name).digest("hex")}`;
}

/** What the records up to the message `last` say. */
export abstract class Log {
  last = 0;
  private mark = "";
  private joined = new Joined();
  private seen = new Set<string>();

  /** The next record. */
  protected abstract apply(content: Uint8Array): void;

  protected abstract clear(): void;

  /** A record of our own that has others', unread ones before it: what it says that does not depend on them. */
  protected learn(_: Uint8Array): void {}

  private takeRecord(content: Uint8Array): void {
    const id = Buffer.from(content.subarray(0, ID)).toString("hex");
    if (this.seen.has(id)) return;
    this.seen.add(id);
    if (this.seen.size > REMEMBERED) this.seen.delete(this.seen.keys().next().value as string);
    this.apply(content.subarray(ID));
  }

  reset(): void {
    [this.last, this.mark, this.joined] = [0, "", new Joined()];
    this.seen.clear();
    this.clear();
  }

  /**
   * Messages in order → false if they are not those after what was read: the log was deleted and begun anew. Messages that were
   * read before change nothing.
   */
  take(rows: Message[]): boolean {
    for (const row of rows) {
      const [number, text] = [Number(row.sequence), row.content ?? ""];
      if (number === this.last && text !== this.mark) return false;
      if (number > this.last) {
        [this.last, this.mark] = [number, text];
        const content = this.joined.take(text);
        if (content) this.takeRecord(content);
      }
    }
    return true;
  }

  /** A record of our own that is stored: it counts at once, or when others' records before it are read. */
  wrote(content: Uint8Array, texts: string[], last: number): void {
    if (this.last === last - texts.length) {
      [this.last, this.mark] = [last, texts.at(-1) ?? ""];
      this.takeRecord(content);
    } else this.learn(content.subarray(ID));
  }
}

/** Reads what was added since the last time → false if there is no such conversation. */
export async function readLog(client: Client, log: Log, conversation: string): Promise<boolean> {
  for (;;) {
    const before = log.last;
    let call = calls.getMessages(conversation, { from: Math.max(before, 1) });
    try {
      let page = await client.call(call);
      let known = page.last >= before && log.take(page.messages);
      while (known && page.next_cursor) {
        call = after(call, page.next_cursor);
        page = await client.call(call);
        known = log.take(page.messages);
      }
      if (known) return true;
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      log.reset();
      return false;
    }
    log.reset();
  }
}

/**
 * System messages: they belong to no turn, and a sidecar never removes them from an open conversation. May be sent again: a record
 * counts once, and a value may be there twice.
 */
export function appending(conversation: string, texts: string[]): Call<Appended> {
  return { ...calls.appendMessages(conversation, { messages: texts.map((content) => ({ role: "system", content })) }), repeats: true };
}

/** Writes a record; it is on disk when the promise is fulfilled. */
export async function appendTo(client: Client, log: Log, conversation: string, record: Uint8Array): Promise<void> {
  const content = Buffer.concat([randomBytes(ID), record]);
  const texts = await textsOf(content);
  log.wrote(content, texts, (await client.call(appending(conversation, texts))).last);
}

/**
 * Deletes a log. A sidecar does not delete conversations: there, if the log `hasRows` still, a record says that all before it is
 * gone.
 */
export async function deleteLog(client: Client, log: Log, conversation: string, hasRows: () => boolean, cleared: Uint8Array): Promise<void> {
  await client.deleteConversation(conversation).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error;
  });
  if ((await readLog(client, log, conversation)) && hasRows()) await appendTo(client, log, conversation, cleared);
}
