// AgentMemoryChat: one chat of the AI SDK with the memory server or a sidecar.
import type { LanguageModelMiddleware, ToolSet, UIMessage } from "ai";

import { Client, type ClientOptions } from "../client.js";
import type { Conversation } from "../conversation.js";
import { appendTo, conversationNamed, deleteLog, readLog } from "../record_log.js";
import { History } from "./history.js";
import { withPolicy } from "./tools.js";

export interface ChatOptions extends ClientOptions {
  chatId: string;
  /** The model's answer was given but could not be recorded. Without it a warning of the process. */
  onError?: (error: unknown) => void;
}

type Prompt = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"]["prompt"];
type Wrapped = NonNullable<LanguageModelMiddleware["wrapStream"]>;
type Content = Awaited<ReturnType<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>>["content"];
type Part = Awaited<ReturnType<Wrapped>>["stream"] extends ReadableStream<infer P> ? P : never;

export class AgentMemoryChat {
  private readonly client: Client;
  private readonly conversation: string;
  private readonly turns: Conversation;
  private readonly onError: (error: unknown) => void;
  private readonly history = new History();
  private recalled: { prompt: string; memories: Promise<string> } | undefined;

  constructor(options: ChatOptions) {
    const { chatId, onError, ...client } = options;
    [this.client, this.conversation] = [new Client(client), conversationNamed("ai-sdk:", chatId)];
    this.turns = this.client.conversation(chatId);
    this.onError = onError ?? ((error) => process.emitWarning(error instanceof Error ? error : String(error)));
  }

  /** The messages that were saved last. */
  async load<M extends UIMessage = UIMessage>(): Promise<M[]> {
    await readLog(this.client, this.history, this.conversation);
    return this.history.messages<M>();
  }

  /** These are the messages from now on. One commit, which has only what is new; of two writers the last counts. */
  async save(messages: readonly UIMessage[]): Promise<void> {
    await readLog(this.client, this.history, this.conversation);
    const record = this.history.change([...messages]);
    if (record) await appendTo(this.client, this.history, this.conversation, record);
  }

  async delete(): Promise<void> {
    const cleared = Buffer.from(JSON.stringify({ keep: 0, messages: [] }));
    await deleteLog(this.client, this.history, this.conversation, () => this.history.length > 0, cleared);
  }

  /** Through a sidecar: each call is allowed by the policy before it runs, and recorded after. A denied call throws its reason. */
  tools<T extends ToolSet>(tools: T): T {
    return withPolicy(tools, this.turns);
  }

  /**
   * For wrapLanguageModel, through a sidecar: puts the memories that fit the last prompt into it, as its first part, since not
   * every provider takes system messages there. The sidecar records the prompt, once for all its steps, and the final answer.
   */
  readonly middleware: LanguageModelMiddleware = {
    specificationVersion: "v4",
    transformParams: async ({ params }) => ({ ...params, prompt: await this.withMemories(params.prompt) }),
    wrapGenerate: async ({ doGenerate }) => {
      const result = await doGenerate();
      await this.answered(result.content);
      return result;
    },
    wrapStream: async ({ doStream }) => {
      const { stream, ...rest } = await doStream();
      const content: Content = [];
      const seen = new TransformStream<Part, Part>({
        transform: async (part, out) => {
          if (part.type === "text-delta") content.push({ type: "text", text: part.delta });
          else if (part.type === "tool-call") content.push(part);
          else if (part.type === "finish") await this.answered(content);
          out.enqueue(part);
        },
      });
      return { ...rest, stream: stream.pipeThrough(seen) };
    },
  };

  /** A prompt that ends with results of tools continues a turn; if another process began it, nobody is asked again. */
  private async withMemories(prompt: Prompt): Promise<Prompt> {
    const place = prompt.findLastIndex(({ role }) => role === "user");
    const message = prompt[place];
    if (message?.role !== "user") return prompt;
    const text = textOf(message.content);
    const key = `${prompt.filter(({ role }) => role === "user").length} ${text}`;
    if (this.recalled?.prompt !== key) {
      if (!text || place < prompt.length - 1) return prompt;
      this.recalled = { prompt: key, memories: this.turns.turn(text) };
    }
    const memories = await this.recalled.memories.catch((error: unknown) => {
      this.recalled = undefined;
      throw error;
    });
    return memories ? prompt.with(place, { ...message, content: [{ type: "text", text: memories }, ...message.content] }) : prompt;
  }

  private async answered(content: Content): Promise<void> {
    const text = answerOf(content);
    if (!text || !this.recalled) return;
    this.recalled = undefined;
    await this.turns.answer(text).catch(this.onError);
  }
}

function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.map((part) => (part.type === "text" ? (part.text ?? "") : "")).filter(Boolean).join("\n");
}

/** The text of an answer; "" if the model wants to go on with its tools. */
function answerOf(content: Content): string {
  if (content.some((part) => part.type === "tool-call" && !part.providerExecuted)) return "";
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
