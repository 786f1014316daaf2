// Runs every step of steps.json with an official TypeScript client against a running sidecar; the client validates
// the results against the tools' output schemas. Prints a JSON line per check; e2e/clients/mcp_test.py counts them.
//   node typescript_client.mjs STEPS.json CLIENT REVISION TARGET...    TARGET: a URL, or a command for stdio
import { readFileSync } from "node:fs";

const [stepsFile, client, revision, ...target] = process.argv.slice(2);
const packages = {
  "2025-06-18": ["sdk-2025-06-18/client/index.js", "sdk-2025-06-18/client/streamableHttp.js", "sdk-2025-06-18/client/stdio.js"],
  "2025-11-25": [
    "@modelcontextprotocol/sdk/client/index.js",
    "@modelcontextprotocol/sdk/client/streamableHttp.js",
    "@modelcontextprotocol/sdk/client/stdio.js",
  ],
  "2026-07-28": ["@modelcontextprotocol/client", "@modelcontextprotocol/client", "@modelcontextprotocol/client/stdio"],
}[revision];
const [{ Client }, { StreamableHTTPClientTransport }, { StdioClientTransport }] = await Promise.all(packages.map((name) => import(name)));

const kept = { client };
const filled = (value) =>
  JSON.parse(JSON.stringify(value), (_, item) => {
    if (typeof item !== "string") return item;
    if (item === "$id") return kept.id;
    return item.replace(/\$(\w+)/g, (_, name) => kept[name]);
  });
const say = (check, ok, why = "") => console.log(JSON.stringify({ check, ok: Boolean(ok), why: ok ? "" : String(why) }));

const options = revision === "2026-07-28" ? { versionNegotiation: { mode: { pin: revision } } } : {};
const mcp = new Client({ name: client, version: "1.0.0" }, options);
const http = target[0].startsWith("http");
const transport = http
  ? new StreamableHTTPClientTransport(new URL(target[0]))
  : new StdioClientTransport({ command: target[0], args: target.slice(1), stderr: "inherit" });
await mcp.connect(transport);
const agreed = mcp.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion ?? revision;
say("agrees on " + revision, agreed === revision, agreed);
say("knows the server", mcp.getServerVersion()?.name === "agent-memory", JSON.stringify(mcp.getServerVersion()));

const { tools, steps } = JSON.parse(readFileSync(stepsFile, "utf8"));
const listed = (await mcp.listTools()).tools;
say("lists the tools", JSON.stringify(listed.map((t) => t.name)) === JSON.stringify(tools), listed.map((t) => t.name));
say("tools are described", listed.every((t) => t.title && t.outputSchema && t.annotations?.readOnlyHint !== undefined));

for (const [number, raw] of steps.entries()) {
  const step = filled(raw);
  const check = `step ${number + 1} ${step.tool}`;
  try {
    const result = await mcp.callTool({ name: step.tool, arguments: step.arguments });
    const text = result.content[0].text;
    const data = result.structuredContent ?? {};
    for (const [name, field] of Object.entries(raw.keep ?? {})) kept[name] = data[field];
    const wrong = [
      ...Object.entries(step.equal ?? {}).filter(([name, value]) => data[name] !== value).map(([name]) => `${name} is ${JSON.stringify(data[name])}`),
      ...(step.text ?? []).filter((part) => !text.includes(part)).map((part) => `no ${JSON.stringify(part)} in ${JSON.stringify(text)}`),
    ];
    if (!result.isError && data.text !== text) wrong.push(`structured content has another text: ${JSON.stringify(data.text)}`);
    const refused = step.refused ? result.isError && text.includes(step.refused) : !result.isError;
    say(check, !step.error && refused && wrong.length === 0, `${wrong.join("; ")} ${text}`);
  } catch (error) {
    say(check, step.error && error.code === -32602, error);
  }
}
await transport.terminateSession?.();
await mcp.close();
