// A chat model with a shell, and memory by hook events: MODEL_URL=http://…/v1/chat/completions node node_loop.mjs [SESSION]
// reads a prompt a line. Node 20 or later. Without its sidecar it goes on and answers, but runs no tool that nobody judged.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";

const { AGENT_MEMORY_URL: memory = "http://127.0.0.1:7437", MODEL_URL: model } = process.env;
if (!model) throw new Error("MODEL_URL is not set: give the model's endpoint, http://HOST:PORT/v1/chat/completions");
const session = process.argv[2] ?? randomUUID();
const parameters = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const shell = { type: "function", function: { name: "bash", description: "Runs a shell command.", parameters } };

const post = async (url, body, ms = 60_000) => {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal: AbortSignal.timeout(ms) });
  if (!answer.ok) throw new Error(`returned HTTP ${answer.status} (${(await answer.text()).slice(0, 500)})`);
  return answer.json();
};
async function hook(event, fields) {
  try {
    return (await post(`${memory}/v1/hooks`, { hook_event_name: event, session_id: session, ...fields }, 5_000)).hookSpecificOutput ?? {};
  } catch (failure) {
    if (event !== "PreToolUse") return {};
    // Only PreToolUse is a question: a tool that nobody judged does not run, the rest goes on without memory.
    const why = failure.message.startsWith("returned") ? failure.message : `gave no answer (${failure.cause ?? failure.message})`;
    const permissionDecisionReason = `tool blocked: the memory sidecar at ${memory} ${why}. Policy could not be checked.`;
    return { permissionDecision: "deny", permissionDecisionReason };
  }
}
const joined = (...parts) => parts.filter(Boolean).join("\n\n");

async function run(call) {
  const { command } = JSON.parse(call.function.arguments);
  const tool = { tool_name: "bash", tool_input: { command }, tool_use_id: call.id, cwd: process.cwd() };
  const before = await hook("PreToolUse", tool);
  if (before.permissionDecision === "deny") return before.permissionDecisionReason;
  let done;
  try {
    done = spawnSync(command, { shell: true, encoding: "utf8", timeout: 600_000 });
  } catch (failure) { // a command that holds a NUL
    done = { error: failure };
  }
  let output = (done.stdout ?? "") + (done.stderr ?? "");
  if (done.status === 0) {
    await hook("PostToolUse", { ...tool, tool_response: { stdout: output } });
  } else {
    output = `Exit code ${done.status ?? done.error?.message}\n${output}`;
    await hook("PostToolUseFailure", { ...tool, error: output });
  }
  return joined(before.additionalContext, output);
}

const messages = [];
for await (const line of createInterface({ input: process.stdin })) {
  const prompt = line.trim();
  if (!prompt) continue;
  const recalled = await hook("UserPromptSubmit", { prompt });
  messages.push({ role: "user", content: joined(recalled.additionalContext, prompt) });
  for (;;) {
    const reply = (await post(model, { messages, tools: [shell] })).choices[0].message;
    messages.push(reply);
    if (!reply.tool_calls?.length) break;
    for (const call of reply.tool_calls) messages.push({ role: "tool", tool_call_id: call.id, content: await run(call) });
  }
  const said = messages[messages.length - 1].content;
  await hook("Stop", { last_assistant_message: said });
  console.log(said);
}
await hook("SessionEnd", { reason: "exit" });
