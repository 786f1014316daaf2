// The messages of a chat as its records say them. Pure.
import { Log } from "../record_log.js";

/** The first `keep` messages stay as they are; `messages` follow them. */
interface Saved {
  keep: number;
  messages: unknown[];
}

export class History extends Log {
  /** As JSON: nobody changes them by accident, and they are quick to compare. */
  private texts: string[] = [];

  protected clear(): void {
    this.texts = [];
  }

  protected apply(content: Uint8Array): void {
    const { keep, messages } = JSON.parse(Buffer.from(content).toString()) as Saved;
    this.texts = [...this.texts.slice(0, keep), ...messages.map((message) => JSON.stringify(message))];
  }

  get length(): number {
    return this.texts.length;
  }

  messages<M>(): M[] {
    return this.texts.map((text) => JSON.parse(text) as M);
  }

  /** → the record after which these are the messages, or undefined: they are. */
  change(messages: unknown[]): Uint8Array | undefined {
    const wanted = messages.map((message) => JSON.stringify(message));
    let keep = 0;
    while (keep < wanted.length && wanted[keep] === this.texts[keep]) keep++;
    if (keep === wanted.length && keep === this.texts.length) return undefined;
    return Buffer.from(JSON.stringify({ keep, messages: messages.slice(keep) } satisfies Saved));
  }
}
