// AgentMemorySession: a session of the OpenAI Agents SDK in the memory server or a sidecar, and memories before a prompt.
import type { AgentInputItem, CallModelInputFilter, Session } from "@openai/agents-core";

import { Client, type ClientOptions } from "../client.js";
import type { Conversation } from "../conversation.js";
import { appendTo, deleteLog, readLog } from "../record_log.js";
import { conversationOf, encoded, Items, type SessionRecord } from "./items.js";

const RUNS_AT_ONCE = 16;

export interface SessionOptions extends ClientOptions {
  /** The name of the history. */
  sessionId: string;
}

export class AgentMemorySession implements Session {
  private readonly sessionId: string;
  private readonly conversation: string;
  private readonly client: Client;
  private readonly turns: Conversation;
  private readonly log = new Items();
  private recalled: { prompt: string; memories: Promise<string> } | undefined;
  private readonly shown: string[] = [];

  constructor(options: SessionOptions) {
    const { sessionId, ...client } = options;
    [this.sessionId, this.conversation, this.client] = [sessionId, conversationOf(sessionId), new Client(client)];
    this.turns = this.client.conversation(sessionId);
  }

  getSessionId(): Promise<string> {
    return Promise.resolve(this.sessionId);
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    await readLog(this.client, this.log, this.conversation);
    const items = this.log.items;
    return structuredClone(limit === undefined ? items : limit > 0 ? items.slice(-limit) : []);
  }

  /** All of them in one commit, without what recall showed: a run wants to keep all that its model saw. */
  async addItems(items: AgentInputItem[]): Promise<void> {
    const kept = items.filter((item) => !("role" in item && item.role === "system" && this.shown.includes(item.content)));
    if (kept.length) await this.append({ kind: "add", items: kept });
  }

  /** Of two at once each gets another item. */
  async popItem(): Promise<AgentInputItem | undefined> {
    await readLog(this.client, this.log, this.conversation);
    if (!this.log.items.length) return undefined;
    const id = crypto.randomUUID().replaceAll("-", "");
    await this.append({ kind: "pop", id });
    await readLog(this.client, this.log, this.conversation);
    const item = this.log.taken.get(id);
    this.log.taken.delete(id);
    return item;
  }

  async clearSession(): Promise<void> {
    await deleteLog(this.client, this.log, this.conversation, () => this.log.items.length > 0, encoded({ kind: "clear" }));
  }

  /**
   * For callModelInputFilter, through a sidecar: puts the memories that fit the last prompt in front of it, as a system item that no
   * session stores. A sidecar records the prompt; of one prompt it is asked once.
   */
  readonly recall: CallModelInputFilter = async ({ modelData }) => {
    const place = modelData.input.findLastIndex((item) => promptOf(item) !== "");
    const prompt = place < 0 ? "" : promptOf(modelData.input[place]);
    if (!prompt) return modelData;
    if (this.recalled?.prompt !== prompt) this.recalled = { prompt, memories: this.turns.turn(prompt) };
    const content = await this.recalled.memories.catch((error: unknown) => {
      this.recalled = undefined;
      throw error;
    });
    if (!content) return modelData;
    if (!this.shown.includes(content)) this.shown.push(content);
    this.shown.splice(0, this.shown.length - RUNS_AT_ONCE);
    return { ...modelData, input: modelData.input.toSpliced(place, 0, { role: "system", content }) };
  };

  private append(record: SessionRecord): Promise<void> {
    return appendTo(this.client, this.log, this.conversation, encoded(record));
  }
}

/** The text of a user's message, or "". */
function promptOf(item: AgentInputItem | undefined): string {
  if (!item || !("role" in item) || item.role !== "user") return "";
  if (typeof item.content === "string") return item.content;
  return item.content.map((part) => (part.type === "input_text" ? part.text : "")).filter(Boolean).join("\n");
}
