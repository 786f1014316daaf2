#!/usr/bin/env node
// The MCP memory server's tools on standard input and output. Address and token: as for any client; the rest by environment.
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

import { version } from "../index.js";
import { KnowledgeGraph } from "./knowledge.js";
import { memoryServer } from "./server.js";

const { AGENT_MEMORY_GRAPH: graph, AGENT_MEMORY_PROJECT: project } = process.env;
await memoryServer(new KnowledgeGraph({ ...(graph && { graph }), ...(project && { project }) }), version).connect(new StdioServerTransport());
