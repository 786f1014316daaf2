// The MCP memory server's tools on agent memory. Needs @modelcontextprotocol/sdk and zod; cli.ts is the program.
import { saidIfUntested } from "../adapters.js";

export { type GraphOptions, KnowledgeGraph } from "./knowledge.js";
export { memoryServer } from "./server.js";

saidIfUntested("@modelcontextprotocol/sdk", [1, 30], [1, 33]);
