// The items of a session as its records say them. Pure. On the wire the same as items.py.
import type { AgentInputItem } from "@openai/agents-core";

import { conversationNamed, Log } from "../record_log.js";

export type SessionRecord = { kind: "add"; items: AgentInputItem[] } | { kind: "pop"; id: string } | { kind: "clear" };

export function conversationOf(session: string): string {
  return conversationNamed("openai-agents:", session);
}

export function encoded(record: SessionRecord): Uint8Array {
  return Buffer.from(JSON.stringify(record));
}

/** Items in order. `taken` says which removal got which item: of two that want the same one, the first. */
export class Items extends Log {
  items: AgentInputItem[] = [];
  readonly taken = new Map<string, AgentInputItem>();

  protected clear(): void {
    this.items = [];
    this.taken.clear();
  }

  protected apply(content: Uint8Array): void {
    const record = JSON.parse(Buffer.from(content).toString()) as SessionRecord;
    if (record.kind === "add") this.items.push(...record.items);
    else if (record.kind === "clear") this.items = [];
    else {
      const item = this.items.pop();
      if (item) this.taken.set(record.id, item);
    }
  }
}
