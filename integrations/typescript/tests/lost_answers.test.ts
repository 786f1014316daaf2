// Adapters over a connection that loses the answer of each write once: nothing is missing, nothing is there twice.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";

import { Retries } from "agent-memory";
import { AgentMemorySaver } from "agent-memory/langgraph";
import { AgentMemorySession } from "agent-memory/openai-agents";
import { aWorld, name } from "./world.js";

const QUICK = new Retries({ firstMs: 1 });

let world: Awaited<ReturnType<typeof aWorld>>;
before(async () => {
  world = await aWorld();
});
after(() => world.done());

function losing(): { fetch: typeof fetch; lost: Set<string> } {
  const lost = new Set<string>();
  return { lost, fetch: async (url, init) => {
    const answer = await fetch(url, init);
    const body = init?.body;
    if (init?.method !== "POST" || typeof body !== "string" || lost.has(body)) return answer;
    lost.add(body);
    await answer.arrayBuffer();
    throw new TypeError("fetch failed", { cause: Object.assign(new Error("lost"), { code: "ECONNRESET" }) });
  } };
}

test("a checkpoint and writes", async () => {
  const [thread, { fetch, lost }] = [name(), losing()];
  const saver = new AgentMemorySaver({ url: world.server.url, fetch, retries: QUICK });
  const versions = { a: saver.getNextVersion(undefined) };
  const put = (value: string, parent: object) => saver.put(
    { configurable: { thread_id: thread, ...parent } }, { ...emptyCheckpoint(), channel_values: { a: value }, channel_versions: versions },
    { source: "loop", step: 1, parents: {} }, versions);
  const first = await put("x".repeat(50_000), {});
  await saver.putWrites(first, [["a", 1], ["__error__", 2]], "task");
  const second = await put("y".repeat(50_000), first.configurable ?? {});
  assert.equal(lost.size, 5, "two values, two checkpoints, writes");
  const other = new AgentMemorySaver({ url: world.server.url });
  const listed = [];
  for await (const tuple of other.list({ configurable: { thread_id: thread } })) listed.push(tuple.config);
  assert.deepEqual(listed, [second, first]);
  const found = await other.getTuple(first);
  assert.deepEqual([found?.checkpoint.channel_values, found?.pendingWrites?.length], [{ a: "x".repeat(50_000) }, 2]);
});

test("items of a session", async () => {
  const [sessionId, items] = [name(), [..."abcd"].map((content) => ({ role: "user" as const, content }))];
  const session = new AgentMemorySession({ sessionId, url: world.server.url, fetch: losing().fetch, retries: QUICK });
  await session.addItems(items.slice(0, 2));
  await session.addItems(items.slice(2));
  assert.deepEqual([await session.popItem(), await session.getItems()], [items[3], items.slice(0, 3)]);
  assert.deepEqual(await new AgentMemorySession({ sessionId, url: world.server.url }).getItems(), items.slice(0, 3));
});
