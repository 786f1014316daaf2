// An agent's loop, one call a step: turn, allow, tool, answer, end. They are hook events of a sidecar, which answers after it has
// written them to disk.
import { NotFound } from "./errors.js";
import type { Call } from "./wire.js";

const NO_HOOKS = "this address has no hooks: it is a memory server's, and hooks are a sidecar's";
const A_SIDECAR = "give the address of a sidecar: AGENT_MEMORY_URL in a Pod, `agent-memory url` on a laptop";

/** Whether a tool may run, why not, and what memory has about the call. */
export interface Verdict {
  allowed: boolean;
  reason: string;
  context: string;
}

interface Said {
  additionalContext?: string;
  permissionDecision?: string;
  permissionDecisionReason?: string;
}

interface Caller {
  call<T>(call: Call<T>): Promise<T>;
}

type Arguments = Record<string, unknown>;

/** `fields` go with each event, such as cwd. */
export class Conversation {
  constructor(private readonly client: Caller, readonly id: string, private readonly fields: Arguments = {}) {}

  /** Before the model is asked → the text to put in front of the prompt, or "". */
  async turn(prompt: string): Promise<string> {
    const said = await this.event("UserPromptSubmit", { prompt, prompt_id: crypto.randomUUID() });
    return said.additionalContext ?? "";
  }

  /** Before a tool runs. An exception means that the call was not checked. */
  async allow(name: string, args: Arguments, callId: string): Promise<Verdict> {
    const said = await this.event("PreToolUse", { tool_name: name, tool_input: args, tool_use_id: callId });
    return { allowed: said.permissionDecision !== "deny", reason: said.permissionDecisionReason ?? "", context: said.additionalContext ?? "" };
  }

  /** After a tool ran, or failed with `error`. */
  async tool(name: string, args: Arguments, result?: unknown, more: { error?: string; callId?: string } = {}): Promise<void> {
    const call = { tool_name: name, tool_input: args, tool_use_id: more.callId ?? crypto.randomUUID() };
    if (more.error === undefined) await this.event("PostToolUse", { ...call, tool_response: result ?? null });
    else await this.event("PostToolUseFailure", { ...call, error: more.error });
  }

  /** The model's answer to the prompt is complete. */
  async answer(text: string): Promise<void> {
    await this.event("Stop", { last_assistant_message: text });
  }

  async end(reason = "other"): Promise<void> {
    await this.event("SessionEnd", { reason });
  }

  /** → what the sidecar says to the agent. The same event again (prompt_id, tool_use_id) gets the same answer. */
  private async event(name: string, more: Arguments): Promise<Said> {
    const body = { hook_event_name: name, session_id: this.id, ...this.fields, ...more };
    try {
      const answer = await this.client.call<{ hookSpecificOutput?: Said }>({ method: "POST", path: "/v1/hooks", body, repeats: true });
      return answer.hookSpecificOutput ?? {};
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      throw new NotFound(NO_HOOKS, { code: error.code, status: error.status, remedy: A_SIDECAR, cause: error });
    }
  }
}
