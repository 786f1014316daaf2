// Tools of the AI SDK whose calls are allowed by a sidecar's policy and recorded.
import type { ToolSet } from "ai";

import type { Conversation } from "../conversation.js";
import { Denied } from "../errors.js";

type Execute = NonNullable<ToolSet[string]["execute"]>;
type Input = Record<string, unknown>;

/** The same tools; those without `execute` run elsewhere and stay as they are. */
export function withPolicy<T extends ToolSet>(tools: T, turns: Conversation): T {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => {
    return [name, tool.execute ? { ...tool, execute: checked(name, tool.execute as Execute, turns) } : tool];
  })) as T;
}

function checked(name: string, execute: Execute, turns: Conversation): Execute {
  async function* run(input: Input, options: { toolCallId: string }): AsyncGenerator<unknown, unknown> {
    const verdict = await turns.allow(name, input, options.toolCallId);
    if (!verdict.allowed) throw new Denied(verdict.reason || `the policy denies ${name}`, { remedy: "call it in another way, or change the policy" });
    let output: unknown;
    try {
      const running: unknown = execute(input as never, options as never);
      if (isIterable(running)) for await (output of running) yield output;
      else output = await running;
    } catch (error) {
      await turns.tool(name, input, undefined, { callId: options.toolCallId, error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
    await turns.tool(name, input, output, { callId: options.toolCallId });
    return output;
  }
  // A function that yields its output step by step stays one: the SDK asks for its iterator before it waits.
  const yields = execute.constructor.name === "AsyncGeneratorFunction";
  return (yields ? run : async (input: Input, options: { toolCallId: string }) => {
    const steps = run(input, options);
    for (;;) {
      const { done, value } = await steps.next();
      if (done) return value;
    }
  }) as Execute;
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
