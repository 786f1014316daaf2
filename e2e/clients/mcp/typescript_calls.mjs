// Makes the calls of a JSON file, [[tool, arguments], …], with the official TypeScript client, and prints each result
// as a JSON line {"text", "structured", "error"}. e2e/clients/model_sees_test.py judges the results.
//   node typescript_calls.mjs CALLS.json URL
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [calls, url] = process.argv.slice(2);
const mcp = new Client({ name: "calls", version: "1.0.0" });
await mcp.connect(new StreamableHTTPClientTransport(new URL(url)));
for (const [name, input] of JSON.parse(readFileSync(calls, "utf8"))) {
  let said;
  try {
    const result = await mcp.callTool({ name, arguments: input });
    said = { text: result.content[0].text, structured: result.structuredContent ?? null, error: Boolean(result.isError) };
  } catch (error) {
    said = { text: error.message, structured: null, error: true };
  }
  console.log(JSON.stringify(said));
}
await mcp.close();
