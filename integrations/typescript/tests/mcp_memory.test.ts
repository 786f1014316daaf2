// The nine tools of the MCP memory server by the official client, on a server and through a sidecar: each call as the reference
// server answers it; what searches and prompts get; other processes.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

import { Client } from "agent-memory";
import { aWorld, name, until } from "./world.js";

const OURS = join(dirname(fileURLToPath(import.meta.resolve("agent-memory"))), "mcp_memory/cli.js");
const REFERENCE = join(fileURLToPath(import.meta.resolve("@modelcontextprotocol/sdk/client/index.js")).split("@modelcontextprotocol")[0] ?? "",
  "@modelcontextprotocol/server-memory/dist/index.js");
const URI = "memory://knowledge-graph";

let world: Awaited<ReturnType<typeof aWorld>>;
const open: McpClient[] = [];
before(async () => {
  world = await aWorld();
});
after(async () => {
  for (const client of open) await client.close();
  await world.done();
});

async function started(program: string, env: Record<string, string>): Promise<McpClient> {
  const client = new McpClient({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], env: { PATH: process.env["PATH"] ?? "", ...env }, stderr: "ignore" }));
  open.push(client);
  return client;
}

function reference(): Promise<McpClient> {
  mkdirSync(join(world.folder, "reference"), { recursive: true });
  return started(REFERENCE, { MEMORY_FILE_PATH: join(world.folder, "reference", `${name()}.jsonl`) });
}

interface Answer {
  isError?: boolean;
  structuredContent?: unknown;
  content: { text: string }[];
}

async function ask(client: McpClient, tool: string, args: Record<string, unknown> = {}): Promise<Answer> {
  return (await client.callTool({ name: tool, arguments: args })) as unknown as Answer;
}

const ann = { name: "Ann", entityType: "person", observations: ["Speaks Spanish", "Likes tea"] };
const acme = { name: "Acme", entityType: "company", observations: [] };
const works = { from: "Ann", to: "Acme", relationType: "works_at" };

for (const where of ["server", "sidecar"] as const) {
  describe(where, () => {
    const ours = (graph = name()) => started(OURS, { AGENT_MEMORY_URL: world[where].url, AGENT_MEMORY_GRAPH: graph, AGENT_MEMORY_PROJECT: "billing" });

    test("each call is answered as the reference server answers it", async () => {
      const [mine, theirs] = [await ours(), await reference()];
      const both = async (tool: string, args: Record<string, unknown> = {}) => {
        const [found, expected] = [await ask(mine, tool, args), await ask(theirs, tool, args)];
        assert.deepEqual([found.isError ?? false, found.structuredContent], [expected.isError ?? false, expected.structuredContent], `${tool} ${JSON.stringify(args)}`);
        if (!expected.isError) assert.deepEqual(found.content[0]?.text, expected.content[0]?.text, tool);
      };
      const odd = { name: 'ü 🎲 "; DROP', entityType: "", observations: ["", "line\nend", "a".repeat(5000)] };
      await both("read_graph");
      await both("create_entities", { entities: [ann, acme, odd] });
      await both("create_entities", { entities: [{ ...ann, entityType: "cat", observations: ["Purrs"] }, { name: "Bob", entityType: "person", observations: ["Likes tea"] }] });
      await both("create_entities", { entities: [] });
      await both("create_entities", { entities: [{ name: "no type" }] });
      await both("create_relations", { relations: [works, { from: "Bob", to: "Ann", relationType: "knows" }, { from: "Bob", to: "Nobody", relationType: "seeks" }] });
      await both("create_relations", { relations: [works, { ...works, relationType: "owns" }] });
      await both("add_observations", { observations: [{ entityName: "Ann", contents: ["Likes tea", "Likes green tea"] }, { entityName: "Bob", contents: ["Speaks Spanish"] }] });
      await both("add_observations", { observations: [{ entityName: "Bob", contents: ["Runs"] }, { entityName: "Nobody", contents: ["Hides"] }] });
      await both("read_graph");
      for (const query of ["spanish", "PERSON", "acme", "nothing of it", "", "tea"]) await both("search_nodes", { query });
      for (const names of [["Ann"], ["Acme", "Nobody"], [], ["ann"]]) await both("open_nodes", { names });
      await both("delete_observations", { deletions: [{ entityName: "Ann", observations: ["Likes tea", "missing"] }, { entityName: "Nobody", observations: ["x"] }] });
      await both("delete_relations", { relations: [{ ...works, relationType: "owns" }, { ...works, relationType: "missing" }] });
      await both("read_graph");
      await both("delete_entities", { entityNames: ["Ann", "Nobody"] });
      await both("delete_entities", { entityNames: ["Ann"] });
      await both("create_entities", { entities: [ann] });
      await both("read_graph");
      const [schemas, wanted] = [await mine.listTools(), await theirs.listTools()];
      const shapes = (tools: typeof schemas.tools) => tools.map((tool) => [tool.name, tool.annotations, Object.keys(tool.inputSchema.properties ?? {}), Object.keys(tool.outputSchema?.properties ?? {})]);
      assert.deepEqual(shapes(schemas.tools), shapes(wanted.tools));
    });

    test("another process goes on, two at once lose nothing, graphs are apart", async () => {
      const graph = name();
      const [one, other, apart] = [await ours(graph), await ours(graph), await ours()];
      await ask(one, "create_entities", { entities: [ann] });
      await Promise.all(["a", "b", "c"].flatMap((text) => [ask(one, "add_observations", { observations: [{ entityName: "Ann", contents: [`${text}1`] }] }),
        ask(other, "add_observations", { observations: [{ entityName: "Ann", contents: [`${text}2`, "same"] }] })]));
      const seen = [one, other, await ours(graph)].map(async (client) => (await ask(client, "open_nodes", { names: ["Ann"] })).structuredContent as { entities: (typeof ann)[] });
      for (const { entities } of await Promise.all(seen)) {
        assert.deepEqual(entities[0]?.observations.toSorted(), ["Likes tea", "Speaks Spanish", "a1", "a2", "b1", "b2", "c1", "c2", "same"]);
      }
      assert.deepEqual((await ask(apart, "read_graph")).structuredContent, { entities: [], relations: [] });
    });

    test("observations and relations are memories until they are deleted", async () => {
      const [client, memory, word] = [await ours(), new Client({ url: world[where].url }), `W${name()}`];
      const titles = async (q: string) => (await memory.search({ q, project: "billing" })).map(({ title }) => title).sort();
      await ask(client, "create_entities", { entities: [{ name: word, entityType: "person", observations: ["Grows pineapples on the balcony"] }, { name: `${word}-2`, entityType: "city", observations: [] }] });
      await ask(client, "create_relations", { relations: [{ from: word, to: `${word}-2`, relationType: "lives_in" }] });
      await until(async () => (await titles(word)).length === 3);
      assert.deepEqual(await titles("pineapples balcony"), [word]);
      await ask(client, "delete_observations", { deletions: [{ entityName: word, observations: ["Grows pineapples on the balcony"] }] });
      await until(async () => (await titles("pineapples balcony")).length === 0);
      await ask(client, "delete_entities", { entityNames: [word, `${word}-2`] });
      await until(async () => (await titles(word)).length === 0);
    });

    test("the graph is a resource whose subscribers are told of changes", async () => {
      const client = await ours();
      const told: string[] = [];
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri));
      await ask(client, "create_entities", { entities: [acme] });
      await client.subscribeResource({ uri: URI });
      await ask(client, "create_entities", { entities: [ann] });
      await client.unsubscribeResource({ uri: URI });
      await ask(client, "create_relations", { relations: [works] });
      const [content] = (await client.readResource({ uri: URI })).contents as { text: string }[];
      assert.deepEqual(JSON.parse(content?.text ?? ""), { entities: [acme, ann], relations: [works] });
      assert.deepEqual(told, [URI]);
    });
  });
}

test("a server that is away is an error that says so, and nothing is changed", async () => {
  const client = await started(OURS, { AGENT_MEMORY_URL: "http://127.0.0.1:9" });
  const answer = await ask(client, "create_entities", { entities: [ann] });
  assert.equal(answer.isError, true);
  assert.match(answer.content[0]?.text ?? "", /check the address/);
});
