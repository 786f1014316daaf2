// The client against the real programs: each group of routes, pages, streams, errors, hooks.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import {
  AgentMemoryError, Client, Invalid, KeyReused, NotFound, PreconditionFailed, Retries, TooLarge, Unreachable,
} from "agent-memory";
import { aWorld, name, until } from "./world.js";

let world: Awaited<ReturnType<typeof aWorld>>;
let client: Client;
before(async () => {
  world = await aWorld();
  client = new Client({ url: world.server.url });
});
after(() => world.done());

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found = [];
  for await (const row of rows) found.push(row);
  return found;
}

test("a memory is saved, found, changed and deleted", async () => {
  const project = name();
  await client.beginSession({ id: name(), project });
  const saved = await client.saveObservation({
    session_id: name(), project, type: "decision", title: "SQLite for storage", content: "One file per tenant.", tags: ["database"],
  });
  assert.equal(saved.action, "created");
  const hits = await client.search({ q: "which storage?", project });
  assert.deepEqual(hits.map((hit) => [hit.id, hit.tags]), [[saved.id, ["database"]]]);
  assert.equal((await client.getContext({ query: "storage", project })).recent_observations[0]?.id, saved.id);
  assert.equal((await client.changeObservation(saved.id, { title: "Files" })).revision_count, 2);
  assert.equal(await client.deleteObservation(saved.id), undefined);
  await assert.rejects(client.getObservation(saved.id), (error) => {
    assert.ok(error instanceof NotFound);
    assert.deepEqual([error.name, error.code, error.status], ["NotFound", "not_found", 404]);
    assert.ok(error.requestId && error.reason && error.message.includes(error.remedy));
    return true;
  });
});

test("a key that is reused is an error of its own", async () => {
  const fields = { session_id: name(), project: name(), type: "note", title: "a", idempotency_key: name() };
  const first = await client.saveObservation({ ...fields, content: "one" });
  assert.equal((await client.saveObservation({ ...fields, content: "one" })).id, first.id);
  await assert.rejects(client.saveObservation({ ...fields, content: "two" }), KeyReused);
});

test("pages give every row once", async () => {
  const project = name();
  for (let number = 0; number < 7; number++) {
    await client.saveObservation({ session_id: project, project, type: "note", title: `t${number}`, content: `text ${name()}` });
  }
  const rows = await all(client.iterObservations({ project, limit: 2 }));
  assert.deepEqual(rows.map((row) => row.title), ["t6", "t5", "t4", "t3", "t2", "t1", "t0"]);
  const conversation = name();
  await client.appendMessages(conversation, { messages: [..."01234"].map((content) => ({ role: "user", content })) });
  assert.deepEqual((await all(client.iterMessages(conversation, { limit: 2 }))).map((row) => row.content), [..."01234"]);
  for (const number of [0, 1, 2]) await client.putShared("coder", `${project}-${number}`, number, { as: "coder" });
  const shared = new Map(await all(client.iterShared({ agent: "coder", as: "coder" })));
  assert.equal(shared.get(`shared:coder:${project}-2`), 2);
});

test("items, traces and checkpoints keep their values", async () => {
  const key = name();
  const value = { a: [1, null, "ü"] };
  const item = await client.putItem(key, { value, ttl: "1h" });
  assert.deepEqual((await client.getItem(key)).value, value);
  await assert.rejects(client.putItem(key, { value: 1, if_match: `"${item.version + 7}"` }), PreconditionFailed);
  assert.equal((await client.changeItem(key, { value: null })).value, null, "null is a value");
  await client.deleteItem(key);
  const trace = await client.addTrace({ content: `User likes tea ${name()}.`, type: "semantic" });
  assert.equal((await client.getTrace(trace.traceId)).type, "semantic");
  await client.deleteTrace(trace.traceId, { reason: "outdated" });
  const conversation = name();
  const saved = await client.saveCheckpoint(conversation, { step: 3, messages: [{ role: "user" }], tool_state: { x: 1 } });
  assert.equal(saved.generation, 1);
  assert.deepEqual((await client.getCheckpoint(conversation)).tool_state, { x: 1 });
});

test("limits and wrong arguments name the field, and what JSON does not have is refused here", async () => {
  await assert.rejects(client.saveObservation({ session_id: "s", project: "p", type: "note", title: "x".repeat(501), content: "y" }),
    (error) => error instanceof Invalid && error.reason.includes("title"));
  await assert.rejects(client.putItem(name(), { value: "x".repeat(70_000) }), TooLarge);
  await assert.rejects(client.putItem(name(), { value: { deep: Number.NaN } }), /deep is NaN/);
});

test("an export streams and its import changes nothing", async () => {
  const project = name();
  await client.saveObservation({ session_id: name(), project, type: "note", title: "kept", content: "for export" });
  const raw = Buffer.concat(await all(client.export({ project, format: "jsonl" })));
  const lines = raw.toString().trim().split("\n").map((line) => JSON.parse(line) as { kind: string });
  assert.deepEqual([lines[0]?.kind, lines.at(-1)?.kind], ["export", "end"]);
  for (const bytes of [raw, client.export({ project, format: "jsonl" })]) {
    const report = await client.import(bytes, { contentType: "application/x-ndjson" });
    assert.ok(report.imported === 0 && report.skipped >= 1);
  }
  await assert.rejects(all(client.export({ format: "paper" })), Invalid);
});

test("a loop remembers through the sidecar", async () => {
  const memory = new Client({ url: world.sidecar.url });
  const loop = memory.conversation(undefined, { cwd: "/work" });
  await loop.turn("Remember: the vault opens on Tuesdays.");
  const verdict = await loop.allow("bash", { command: "rm -rf /" }, "call-1");
  assert.ok(!verdict.allowed && verdict.reason.includes("rm -rf"));
  assert.ok((await loop.allow("bash", { command: "make" }, "call-2")).allowed);
  await loop.tool("bash", { command: "make" }, "an error in main.c", { callId: "call-2" });
  await loop.tool("bash", { command: "make" }, undefined, { error: "exit 2" });
  await loop.answer("Noted.");
  await loop.end();
  const found = await until(async () => (await client.search({ q: "vault Tuesdays", project: "billing" }))[0]);
  assert.equal(found.content, "the vault opens on Tuesdays.");
  assert.match(await memory.conversation().turn("When does the vault open?"), /vault/);
  assert.deepEqual((await all(memory.iterMessages(loop.id))).map((row) => row.role),
    ["user", "assistant", "tool", "assistant", "tool", "assistant"]);
});

test("a server has no hooks and says what has", async () => {
  await assert.rejects(client.conversation().turn("hello"), (error) => error instanceof NotFound && error.message.includes("sidecar"));
});

test("no answer is an error with the address", async () => {
  const nobody = new Client({ url: "http://127.0.0.1:1", retries: new Retries({ attempts: 2, firstMs: 10 }) });
  await assert.rejects(nobody.getHealth(), (error) => error instanceof Unreachable && error.message.includes("127.0.0.1:1/health"));
  await assert.rejects(all(nobody.export()), AgentMemoryError);
});
