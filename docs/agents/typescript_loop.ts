// A chat model with a shell, and memory by hook events: MODEL_URL=http://…/v1/chat/completions node typescript_loop.ts [SESSION]
// reads a prompt a line. Memory never stops it: when the sidecar is away it goes on without. Node 22.18 or later runs it as it is.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";

type Call = { id: string; function: { name: string; arguments: string } };
type Message = { role: string; content: string; tool_calls?: Call[]; tool_call_id?: string };
const memory = process.env.AGENT_MEMORY_URL ?? "http://127.0.0.1:7437", session = process.argv[2] ?? randomUUID();
const parameters = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const shell = { type: "function", function: { name: "bash", description: "Runs a shell command.", parameters } };

const post = async (url: string, body: object, ms = 60_000) =>
  (await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal: AbortSignal.timeout(ms) })).json();
const hook = (event: string, fields: object): Promise<Record<string, string>> =>
  post(`${memory}/v1/hooks`, { hook_event_name: event, session_id: session, ...fields }, 5_000).then((a) => a.hookSpecificOutput ?? {}, () => ({}));
const joined = (...parts: (string | undefined)[]) => parts.filter(Boolean).join("\n\n");

async function run(call: Call): Promise<string> {
  const { command } = JSON.parse(call.function.arguments);
  const tool = { tool_name: "bash", tool_input: { command }, tool_use_id: call.id, cwd: process.cwd() };
  const before = await hook("PreToolUse", tool);
  if (before.permissionDecision === "deny") return before.permissionDecisionReason;
  const done = spawnSync(command, { shell: true, encoding: "utf8", timeout: 600_000 });
  const output = done.stdout + done.stderr;
  if (done.status === 0) await hook("PostToolUse", { ...tool, tool_response: { stdout: output } });
  else await hook("PostToolUseFailure", { ...tool, error: `Exit code ${done.status}\n${output}` });
  return joined(before.additionalContext, output);
}

const messages: Message[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  const prompt = line.trim();
  if (!prompt) continue;
  const recalled = await hook("UserPromptSubmit", { prompt });
  messages.push({ role: "user", content: joined(recalled.additionalContext, prompt) });
  for (;;) {
    const reply: Message = (await post(process.env.MODEL_URL!, { messages, tools: [shell] })).choices[0].message;
    messages.push(reply);
    if (!reply.tool_calls?.length) break;
    for (const call of reply.tool_calls) messages.push({ role: "tool", tool_call_id: call.id, content: await run(call) });
  }
  const said = messages[messages.length - 1].content;
  await hook("Stop", { last_assistant_message: said });
  console.log(said);
}
await hook("SessionEnd", { reason: "exit" });
