// A chat in TypeScript whose model has the tools of memory by MCP (@modelcontextprotocol/sdk), and whose turns are
// remembered by hooks. OPENAI_BASE_URL and OPENAI_API_KEY name an endpoint with OpenAI's chat API, MODEL its model.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";

type Call = { id: string; function: { name: string; arguments: string } };
type Message = { role: string; content: string | null; tool_calls?: Call[]; tool_call_id?: string };
const { OPENAI_BASE_URL = "https://api.openai.com/v1", OPENAI_API_KEY = "", MODEL = "gpt-4.1-mini" } = process.env;
const session = randomUUID();

function hook(event: string, fields: object): string {
  const input = JSON.stringify({ hook_event_name: event, session_id: session, ...fields });
  const done = spawnSync("agent-memory", ["hook", event], { input, encoding: "utf8", stdio: ["pipe", "pipe", "inherit"] });
  return JSON.parse(done.stdout || "{}").hookSpecificOutput?.additionalContext ?? "";
}

const memory = new Client({ name: "mcp-chat", version: "1.0.0" });
await memory.connect(new StdioClientTransport({ command: "agent-memory", args: ["mcp"] }));
const tools = (await memory.listTools()).tools.map(({ name, description, inputSchema }) => ({
  type: "function", function: { name, description, parameters: inputSchema },
}));

async function call({ id, function: { name, arguments: text } }: Call): Promise<Message> {
  const { content } = CallToolResultSchema.parse(await memory.callTool({ name, arguments: JSON.parse(text) }));
  return { role: "tool", tool_call_id: id, content: content.map((part) => (part.type === "text" ? part.text : "")).join("\n") };
}

async function ask(messages: Message[]): Promise<string> {
  for (;;) {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${OPENAI_API_KEY}` };
    const body = JSON.stringify({ model: MODEL, messages, tools });
    const answer = await fetch(`${OPENAI_BASE_URL}/chat/completions`, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(`the model answered ${answer.status}: ${await answer.text()}`);
    const reply: Message = (await answer.json()).choices[0].message;
    messages.push(reply);
    if (!reply.tool_calls?.length) return reply.content ?? "";
    for (const each of reply.tool_calls) messages.push(await call(each));
  }
}

const messages: Message[] = [{ role: "system", content: memory.getInstructions() ?? "" }];
for await (const line of createInterface({ input: process.stdin })) {
  const prompt = line.trim();
  if (!prompt) continue;
  const given = hook("UserPromptSubmit", { prompt });
  messages.push({ role: "user", content: `${given}\n\n${prompt}`.trim() });
  const said = await ask(messages);
  hook("Stop", { last_assistant_message: said });
  console.log(said);
}
hook("SessionEnd", { reason: "exit" });
await memory.close();
