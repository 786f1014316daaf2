// The nine tools of the MCP memory server, and its resource, over a KnowledgeGraph.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

import type { KnowledgeGraph } from "./knowledge.js";

const URI = "memory://knowledge-graph";
const text = z.string();
const entity = z.object({ name: text.describe("its unique name"), entityType: text.describe("such as person"), observations: z.array(text).describe("one fact each") });
const relation = z.object({ from: text.describe("name of an entity"), to: text.describe("name of an entity"), relationType: text.describe("a verb in active voice, such as works_at") });
const [entities, relations] = [z.array(entity), z.array(relation)];
const graph = { entities, relations };
const done = { success: z.boolean(), message: text };

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const ADDS = { ...READS, readOnlyHint: false, idempotentHint: false };
const DELETES = { ...READS, readOnlyHint: false, destructiveHint: true };

/** `content` is JSON, of a deletion its message; `shown` without it. */
function answer(structuredContent: Record<string, unknown>, shown: unknown = structuredContent) {
  return { content: [{ type: "text" as const, text: typeof shown === "string" ? shown : JSON.stringify(shown, null, 2) }], structuredContent };
}

function deleted(what: string) {
  const message = `${what} deleted successfully`;
  return answer({ success: true, message }, message);
}

export function memoryServer(memory: KnowledgeGraph, version: string): McpServer {
  const server = new McpServer({ name: "agent-memory-graph", version });
  let subscribed = false;
  const changed = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    if (subscribed) await server.server.sendResourceUpdated({ uri: URI });
    return result;
  };

  server.registerTool("create_entities", { title: "Create entities", description: "Adds entities to the knowledge graph. A name that is there stays as it is.",
    inputSchema: { entities }, outputSchema: { entities }, annotations: ADDS }, async (args) => {
    const made = await changed(memory.createEntities(args.entities));
    return answer({ entities: made }, made);
  });
  server.registerTool("create_relations", { title: "Create relations", description: "Adds relations between entities of the knowledge graph, in active voice.",
    inputSchema: { relations }, outputSchema: { relations }, annotations: ADDS }, async (args) => {
    const made = await changed(memory.createRelations(args.relations));
    return answer({ relations: made }, made);
  });
  server.registerTool("add_observations", { title: "Add observations", description: "Adds facts to entities that are in the knowledge graph.",
    inputSchema: { observations: z.array(z.object({ entityName: text, contents: z.array(text) })) },
    outputSchema: { results: z.array(z.object({ entityName: text, addedObservations: z.array(text) })) }, annotations: ADDS }, async (args) => {
    const results = await changed(memory.addObservations(args.observations));
    return answer({ results }, results);
  });
  server.registerTool("delete_entities", { title: "Delete entities", description: "Deletes entities of the knowledge graph with their relations.",
    inputSchema: { entityNames: z.array(text) }, outputSchema: done, annotations: DELETES }, async (args) => {
    await changed(memory.deleteEntities(args.entityNames));
    return deleted("Entities");
  });
  server.registerTool("delete_observations", { title: "Delete observations", description: "Deletes facts of entities of the knowledge graph.",
    inputSchema: { deletions: z.array(z.object({ entityName: text, observations: z.array(text) })) }, outputSchema: done, annotations: DELETES }, async (args) => {
    await changed(memory.deleteObservations(args.deletions));
    return deleted("Observations");
  });
  server.registerTool("delete_relations", { title: "Delete relations", description: "Deletes relations of the knowledge graph.",
    inputSchema: { relations }, outputSchema: done, annotations: DELETES }, async (args) => {
    await changed(memory.deleteRelations(args.relations));
    return deleted("Relations");
  });
  server.registerTool("read_graph", { title: "Read the graph", description: "The whole knowledge graph.",
    inputSchema: {}, outputSchema: graph, annotations: READS }, async () => answer({ ...await memory.readGraph() }));
  server.registerTool("search_nodes", { title: "Search nodes", description: "Entities whose name, type or observations have the text of the query, with their relations.",
    inputSchema: { query: text }, outputSchema: graph, annotations: READS }, async (args) => answer({ ...await memory.searchNodes(args.query) }));
  server.registerTool("open_nodes", { title: "Open nodes", description: "Entities by their names, with their relations.",
    inputSchema: { names: z.array(text) }, outputSchema: graph, annotations: READS }, async (args) => answer({ ...await memory.openNodes(args.names) }));

  server.registerResource("knowledge-graph", URI, { title: "Knowledge graph", description: "All entities and relations.", mimeType: "application/json" }, async (uri) => {
    return { contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(await memory.readGraph(), null, 2) }] };
  });
  server.server.registerCapabilities({ resources: { subscribe: true } });
  server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    subscribed ||= params.uri === URI;
    return {};
  });
  server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscribed &&= params.uri !== URI;
    return {};
  });
  return server;
}
