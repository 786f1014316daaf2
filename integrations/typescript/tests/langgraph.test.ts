// The checkpointer under a real graph, killed and resumed; what two writers, a deletion and a large value do to a thread.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { emptyCheckpoint, type CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";

import { Client, Damaged, Retries, Unreachable } from "agent-memory";
import { AgentMemorySaver } from "agent-memory/langgraph";
import { BLOBS, conversationOf } from "../src/langgraph/records.js";
import { STEPS } from "./killed_graph.js";
import { aServer, aWorld, name } from "./world.js";

let world: Awaited<ReturnType<typeof aWorld>>;
let saver: AgentMemorySaver;
let client: Client;
before(async () => {
  world = await aWorld();
  saver = new AgentMemorySaver({ url: world.server.url });
  client = new Client({ url: world.server.url });
});
after(() => world.done());

function configOf(thread: string): RunnableConfig {
  return { configurable: { thread_id: thread, checkpoint_ns: "" } };
}

function put(one: AgentMemorySaver, thread: string, values: Record<string, unknown>, parent?: RunnableConfig, more: object = {}): Promise<RunnableConfig> {
  const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, one.getNextVersion(undefined)]));
  const checkpoint = { ...emptyCheckpoint(), channel_values: values, channel_versions: versions };
  return one.put(parent ?? configOf(thread), checkpoint, { source: "loop", step: 1, parents: {}, ...more }, versions);
}

async function all(tuples: AsyncIterable<CheckpointTuple>): Promise<CheckpointTuple[]> {
  const found = [];
  for await (const tuple of tuples) found.push(tuple);
  return found;
}

test("a graph killed at every superstep runs each node once", () => {
  const [thread, log] = [name(), join(world.folder, "log")];
  for (let step = 0; step <= STEPS; step++) {
    const lived = spawnSync(process.execPath, ["dist/tests/killed_graph.js", world.server.url, thread, log, String(step)], { encoding: "utf8" });
    assert.equal(lived.signal, step < STEPS ? "SIGKILL" : null, lived.stderr);
    assert.ok(lived.signal || lived.status === 0, lived.stderr);
  }
  const ran = readFileSync(log, "utf8").trim().split("\n");
  const wanted = Array.from({ length: STEPS }, (_, step) => [`a${step}`, `b${step}`]).flat();
  assert.deepEqual(ran.sort(), wanted.sort());
});

test("a killed server has what it acknowledged, and while it is away a checkpoint is an error", async () => {
  const server = await aServer(world.folder);
  const [one, large] = [new AgentMemorySaver({ url: server.url, retries: new Retries({ attempts: 1 }) }), "x".repeat(300_000)];
  const stored = await put(one, "t", { a: 1, large });
  await one.putWrites(stored, [["a", 2]], "task");
  await server.kill();
  await assert.rejects(put(one, "t", { a: 2 }, stored), Unreachable);
  await assert.rejects(one.putWrites(stored, [["a", 3]], "other"), Unreachable);
  await assert.rejects(one.getTuple(configOf("t")), Unreachable);
  await server.start();
  const found = await new AgentMemorySaver({ url: server.url }).getTuple(configOf("t"));
  assert.deepEqual([found?.checkpoint.channel_values, found?.pendingWrites], [{ a: 1, large }, [["task", "a", 2]]]);
  await server.kill();
});

test("a large value comes back and is written once", async () => {
  const [thread, value] = [name(), randomBytes(6 << 20).toString("base64")];
  const last = async () => (await client.getMessages(conversationOf(thread) + BLOBS, { limit: 1 })).last;
  let stored = await put(saver, thread, { a: value, b: value, n: 1 });
  const count = await last();
  stored = await put(saver, thread, { a: value, n: 2 }, stored);
  assert.equal(await last(), count);
  const other = new AgentMemorySaver({ url: world.server.url });
  assert.deepEqual((await other.getTuple(stored))?.checkpoint.channel_values, { a: value, n: 2 });
  await put(other, thread, { a: value }, stored);
  assert.equal(await last(), count, "another process writes it again");
});

test("a channel that did not change has its value from before, also for another process", async () => {
  const [thread, versions] = [name(), { a: saver.getNextVersion(undefined) }];
  const first = { ...emptyCheckpoint(), channel_values: { a: "kept" }, channel_versions: versions };
  const stored = await saver.put(configOf(thread), first, { source: "loop", step: 1, parents: {} }, versions);
  const second = { ...emptyCheckpoint(), channel_values: { a: "kept" }, channel_versions: versions };
  const other = new AgentMemorySaver({ url: world.server.url });
  await other.put(stored, second, { source: "loop", step: 2, parents: {} }, {});
  assert.deepEqual((await saver.getTuple(configOf(thread)))?.checkpoint.channel_values, { a: "kept" });
});

test("of two writers of a thread both are stored and seen by both, and the newest checkpoint counts", async () => {
  const [thread, other] = [name(), new AgentMemorySaver({ url: world.server.url })];
  const first = await put(saver, thread, { a: 1 });
  await other.putWrites(first, [["a", "other"]], "task-1");
  await saver.putWrites(first, [["a", "mine"]], "task-2");
  for (const one of [saver, other]) {
    const found = await one.getTuple(configOf(thread));
    assert.deepEqual(found?.pendingWrites, [["task-1", "a", "other"], ["task-2", "a", "mine"]]);
  }
  const second = await put(other, thread, { a: 2 }, first);
  assert.deepEqual((await all(saver.list(configOf(thread)))).map((one) => one.config), [second, first]);
});

test("a thread that another deleted and began anew is the new one", async () => {
  const [thread, other] = [name(), new AgentMemorySaver({ url: world.server.url })];
  await put(saver, thread, { a: 1 });
  assert.ok(await saver.getTuple(configOf(thread)));
  await other.deleteThread(thread);
  assert.equal(await saver.getTuple(configOf(thread)), undefined);
  await put(saver, thread, { a: 1 });
  await other.deleteThread(thread);
  const fresh = await put(other, thread, { a: "new" });
  const newer = await put(other, thread, { a: "newer" }, fresh);
  assert.deepEqual((await saver.getTuple(configOf(thread)))?.checkpoint.channel_values, { a: "newer" });
  assert.deepEqual((await all(saver.list(configOf(thread)))).map((one) => one.config), [newer, fresh]);
});

test("deleting a thread leaves no conversation", async () => {
  const thread = name();
  await put(saver, thread, { a: "x".repeat(50_000) });
  await saver.deleteThread(thread);
  for await (const row of client.iterConversations()) assert.ok(!row.id.includes(thread), row.id);
});

test("writes come in the order of a live run and the first stands", async () => {
  const stored = await put(saver, name(), {});
  await saver.putWrites(stored, [["c", "late"]], "aaa", "~__pregel_pull, z");
  await saver.putWrites(stored, [["c", "early"], ["d", 1]], "bbb", "~__pregel_pull, b");
  await saver.putWrites(stored, [["c", "again"]], "bbb", "~__pregel_pull, b");
  await saver.putWrites(stored, [["__error__", "one"]], "ccc");
  await saver.putWrites(stored, [["__error__", "two"]], "ccc");
  assert.deepEqual((await saver.getTuple(stored))?.pendingWrites,
    [["ccc", "__error__", "two"], ["bbb", "c", "early"], ["bbb", "d", 1], ["aaa", "c", "late"]]);
});

test("any thread id is kept and listed", async () => {
  const names = ["a/b?c=d#e", "ü".repeat(150), "x".repeat(500), "with space", BLOBS, "__proto__"];
  for (const one of names) {
    await put(saver, one, { a: one }, undefined, { mark: "odd" });
    assert.deepEqual((await saver.getTuple(configOf(one)))?.checkpoint.channel_values, { a: one });
  }
  const listed = await all(saver.list({}, { filter: { mark: "odd" } }));
  assert.deepEqual(listed.map((one) => one.config.configurable?.["thread_id"] as string).sort(), names.sort());
});

test("a value that changed on the way is not returned", async () => {
  const thread = name();
  const stored = await put(saver, thread, { a: "x".repeat(50_000), b: "y".repeat(50_000) });
  const log = saver["log"];
  const { places } = log.thread(thread);
  const [one, other] = [...places].filter(([, place]) => Array.isArray(place));
  assert.ok(one && other);
  places.set(one[0], other[1]).set(other[0], one[1]);
  log.values.clear();
  await assert.rejects(saver.getTuple(stored), (error) => error instanceof Damaged && error.message.includes("is not what was saved"));
});

test("many graphs at once share a saver", async () => {
  const done = Annotation<string[], string[]>({ reducer: (one, more) => [...one, ...more], default: () => [] });
  const graph = new StateGraph(Annotation.Root({ done })).addNode("one", () => ({ done: ["one"] })).addEdge(START, "one").compile({ checkpointer: saver });
  const threads = Array.from({ length: 20 }, name);
  const ended = await Promise.all(threads.map((thread) => graph.invoke({ done: [] }, configOf(thread))));
  assert.deepEqual(ended, threads.map(() => ({ done: ["one"] })));
  assert.deepEqual(await graph.invoke({ done: [] }, configOf(threads[3] ?? "")), { done: ["one", "one"] });
});

test("a thread without an id or with a value that cannot be written is an error, and nothing is stored", async () => {
  const thread = name();
  await assert.rejects(put(saver, "", { a: 1 }), /thread_id/);
  await assert.rejects(saver.putWrites(configOf(thread), [["a", 1]], "task"), /checkpoint_id/);
  const serde = { dumpsTyped: () => Promise.reject(new TypeError("not to be written")), loadsTyped: () => Promise.resolve(null) };
  await assert.rejects(put(new AgentMemorySaver({ url: world.server.url, serde }), thread, { a: 1 }), /not to be written/);
  assert.equal(await saver.getTuple(configOf(thread)), undefined);
});
