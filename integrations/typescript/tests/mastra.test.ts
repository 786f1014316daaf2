// Mastra's storage on a server and through a sidecar: each operation as Mastra's own storage in memory does it, by an object that
// has read nothing yet; writers at once; an agent with memory.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";

import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import type { MastraDBMessage, StorageThreadType } from "@mastra/core/memory";
import { InMemoryDB, InMemoryMemory, InMemoryStore, type MemoryStorage } from "@mastra/core/storage";
import { Memory } from "@mastra/memory";
import { wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";

import { Client, TooLarge } from "agent-memory";
import { AgentMemoryChat } from "agent-memory/ai-sdk";
import { AgentMemoryDomain, AgentMemoryStore } from "agent-memory/mastra";
import { aWorld, name } from "./world.js";

let world: Awaited<ReturnType<typeof aWorld>>;
before(async () => {
  world = await aWorld();
});
after(() => world.done());

const at = (minute: number) => new Date(Date.UTC(2026, 3, 12, 10, minute));

function thread(id: string, resourceId = "ann", more: Partial<StorageThreadType> = {}): StorageThreadType {
  return { id, resourceId, title: `title of ${id}`, createdAt: at(0), updatedAt: at(0), metadata: { kind: "test" }, ...more };
}

function message(id: string, threadId: string, minute: number, text = id, resourceId = "ann"): MastraDBMessage {
  return { id, threadId, resourceId, role: "user", createdAt: at(minute), content: { format: 2, parts: [{ type: "text", text }], metadata: { n: minute } } };
}

/** Without what two runs never have in common: times of now, random ids. A Date is not its text. */
function scrubbed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, function (this: Record<string, unknown>, key, each: unknown) {
    const found = this[key];
    if (found instanceof Date) return found < at(60) ? `Date ${found.getTime()}` : "Date of now";
    return key === "messageIdMap" ? "random" : each;
  }).replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}/g, "random"));
}

for (const where of ["server", "sidecar"] as const) {
  describe(where, () => {
    const fresh = () => new AgentMemoryDomain(new Client({ url: world[where].url }));

    /** Two storages that are asked the same must answer the same. */
    function twins(): (ask: (memory: MemoryStorage) => Promise<unknown>) => Promise<unknown> {
      const reference = new InMemoryMemory({ db: new InMemoryDB() });
      return async (ask) => {
        const [expected, found] = [await ask(reference).catch(String), await ask(fresh()).catch(String)];
        assert.deepEqual(scrubbed(found ?? null), scrubbed(expected ?? null));
        return found;
      };
    }

    test("threads: saved, changed, listed with filters and in order, owned, deleted", async () => {
      await fresh().dangerouslyClearAll();
      const same = twins();
      const [a, b, c] = ["a", "b", "c"].map((each) => each + name()) as [string, string, string];
      await same((memory) => memory.getThreadById({ threadId: a }));
      await same((memory) => memory.saveThread({ thread: thread(a) }));
      await same((memory) => memory.saveThread({ thread: thread(b, "ann", { createdAt: at(1), metadata: { kind: "other", when: at(3), odd: [{ "@date": 1 }, { "@@date": at(4) }] } }) }));
      await same((memory) => memory.saveThread({ thread: thread(c, "bob", { createdAt: at(2) }) }));
      await same((memory) => memory.updateThread({ id: a, title: "new" }));
      await same((memory) => memory.patchThread({ id: a, metadata: { more: [1, { deep: null }] } }));
      await same((memory) => memory.updateThread({ id: name(), title: "nobody" }).catch((error: Error) => error.message.replace(/id \w+/, "")));
      for (const threadId of [a, b, c]) await same((memory) => memory.getThreadById({ threadId }));
      await same((memory) => memory.getThreadById({ threadId: a, resourceId: "bob" }));
      for (const args of [{}, { filter: { resourceId: "ann" } }, { filter: { metadata: { kind: "test" } } }, { perPage: 1, page: 1 }, { perPage: false as const },
        { orderBy: { field: "createdAt" as const, direction: "ASC" as const } }, { filter: { resourceId: "nobody" } }, { perPage: -1 }, { filter: { metadata: { "a'; --": 1 } } }]) {
        await same((memory) => memory.listThreads(args));
      }
      await same((memory) => memory.updateThreadResourceId({ threadId: a, resourceId: "bob" }));
      await same((memory) => memory.deleteThread({ threadId: b }));
      await same((memory) => memory.deleteThread({ threadId: b }));
      await same((memory) => memory.getThreadById({ threadId: b }));
      await same((memory) => memory.listThreads({ filter: { resourceId: "bob" } }));
    });

    test("messages: saved, listed with windows, filters and pages, changed, moved, deleted, copied", async () => {
      const same = twins();
      const [a, b, copy, ann] = [name(), name(), name(), name()];
      const [m1, m2, m3, m4, m5] = [1, 2, 3, 4, 5].map((each) => `m${each}-${a}`) as [string, string, string, string, string];
      for (const id of [a, b]) await same((memory) => memory.saveThread({ thread: thread(id, ann) }));
      await same((memory) => memory.saveMessages({ messages: [message(m1, a, 1, 'ü 🎲 "; DROP \u0000', ann), message(m2, a, 2, "two", ann), message(m3, a, 3, "three", ann)] }));
      await same((memory) => memory.saveMessages({ messages: [message(m4, b, 4, "four", ann), message(m5, a, 5, "five", "bob")] }));
      await same((memory) => memory.saveMessages({ messages: [message(m2, a, 2, "two again", ann)] }));
      for (const args of [{ threadId: a }, { threadId: [a, b] }, { threadId: a, perPage: 2, page: 1 }, { threadId: a, perPage: false as const }, { threadId: a, resourceId: "bob" },
        { threadId: a, filter: { dateRange: { start: at(2), end: at(3) } } }, { threadId: a, orderBy: { field: "createdAt" as const, direction: "DESC" as const } },
        { threadId: a, perPage: 0, include: [{ id: m4, withPreviousMessages: 1, withNextMessages: 1 }] }, { threadId: a, filter: { metadata: { n: 2 } } },
        { threadId: b, include: [{ id: m3, withPreviousMessages: 1 }], perPage: 1 }, { threadId: "" }, { threadId: name() }, { threadId: a, page: -1 }]) {
        await same((memory) => memory.listMessages(args));
      }
      await same((memory) => memory.listMessagesById({ messageIds: [m3, "missing", m4] }));
      await same((memory) => memory.listMessagesByResourceId({ resourceId: ann }));
      await same((memory) => memory.updateMessages({ messages: [{ id: m1, role: "assistant", content: { metadata: { seen: true } } as never }, { id: "missing" }] }));
      await same((memory) => memory.updateMessages({ messages: [{ id: m3, threadId: b }] }));
      for (const threadId of [a, b]) await same((memory) => memory.listMessages({ threadId }));
      await same((memory) => memory.deleteMessages([m2, "missing"]));
      await same((memory) => memory.listMessages({ threadId: a }));
      await same((memory) => memory.copyThread({ sourceThreadId: a, newThreadId: copy, options: { messageLimit: 1 } }));
      await same((memory) => memory.getThreadById({ threadId: copy }));
      await same((memory) => memory.listMessages({ threadId: copy }));
      await same((memory) => memory.copyThread({ sourceThreadId: a, newThreadId: copy }));
      await same((memory) => memory.deleteThread({ threadId: a }));
      await same((memory) => memory.listMessages({ threadId: a }));
      await same((memory) => memory.listMessages({ threadId: copy }));
    });

    test("resources and observations", async () => {
      const same = twins();
      const [ann, thread] = [name(), name()];
      await same((memory) => memory.getResourceById({ resourceId: ann }));
      await same((memory) => memory.updateResource({ resourceId: ann, workingMemory: "# Ann" }));
      await same((memory) => memory.updateResource({ resourceId: ann, metadata: { age: 7 } }));
      await same((memory) => memory.getResourceById({ resourceId: ann }));
      await same((memory) => memory.saveResource({ resource: { id: ann, workingMemory: "new", createdAt: at(0), updatedAt: at(1) } }));
      await same((memory) => memory.getResourceById({ resourceId: ann }));
      for (const [scope, threadId] of [["resource", null], ["thread", thread]] as const) {
        const current = async (memory: MemoryStorage) => (await memory.getObservationalMemory(threadId, ann)) ?? assert.fail("no record");
        await same((memory) => memory.getObservationalMemory(threadId, ann));
        await same((memory) => memory.initializeObservationalMemory({ threadId, resourceId: ann, scope, config: { deep: { a: 1 } } }));
        await same(async (memory) => memory.setObservingFlag((await current(memory)).id, true));
        await same(async (memory) => memory.setPendingMessageTokens((await current(memory)).id, 40));
        await same(async (memory) => memory.updateObservationalMemoryConfig({ id: (await current(memory)).id, config: { deep: { b: 2 } } }));
        await same(async (memory) => memory.updateActiveObservations({ id: (await current(memory)).id, observations: "likes tea", tokenCount: 3, lastObservedAt: at(2) }));
        await same(current);
        await same(async (memory) => memory.createReflectionGeneration({ currentRecord: await current(memory), reflection: "tea", tokenCount: 1 }));
        await same((memory) => memory.getObservationalMemoryHistory(threadId, ann));
        await same((memory) => memory.setObservingFlag("missing", true));
        await same((memory) => memory.clearObservationalMemory(threadId, ann));
        await same((memory) => memory.getObservationalMemory(threadId, ann));
      }
    });

    test("writers at once lose nothing", async () => {
      const [id, ann] = [name(), name()];
      const [one, other] = [fresh(), fresh()];
      await one.saveThread({ thread: thread(id, ann) });
      const record = await one.initializeObservationalMemory({ threadId: id, resourceId: ann, scope: "thread", config: {} });
      await Promise.all([..."0123456789"].map((each) => (Number(each) % 2 ? one : other).saveMessages({ messages: [message(`${each}-${id}`, id, Number(each), each, ann)] })));
      await Promise.all([one.updateThread({ id, title: "named" }), other.updateThread({ id, metadata: { a: 1 } }), one.updateThread({ id, metadata: { b: 2 } })]);
      await Promise.all([one.updateResource({ resourceId: ann, workingMemory: "x" }), one.updateResource({ resourceId: ann, metadata: { a: 1 } }),
        one.setObservingFlag(record.id, true), one.setPendingMessageTokens(record.id, 7), one.setReflectingFlag(record.id, true)]);
      const found = await fresh().getThreadById({ threadId: id });
      assert.deepEqual([found?.title, found?.metadata], ["named", { kind: "test", a: 1, b: 2 }]);
      assert.equal((await fresh().listMessages({ threadId: id, perPage: false })).total, 10);
      const resource = await fresh().getResourceById({ resourceId: ann });
      assert.deepEqual([resource?.workingMemory, resource?.metadata], ["x", { a: 1 }]);
      const observed = await fresh().getObservationalMemory(id, ann);
      assert.deepEqual([observed?.isObserving, observed?.pendingMessageTokens, observed?.isReflecting], [true, 7, true]);
    });

    test("what is too large is refused as a whole, and changes nothing in this process", async () => {
      const [id, memory] = [name(), fresh()];
      await memory.saveThread({ thread: thread(id) });
      await assert.rejects(memory.saveMessages({ messages: [message(`a-${id}`, id, 1), message(`b-${id}`, id, 2, randomBytes(9 << 20).toString("base64"))] }), TooLarge);
      await memory.saveMessages({ messages: [message(`d-${id}`, id, 1)] });
      await assert.rejects(memory.updateMessages({ messages: [{ id: `d-${id}`, role: "assistant", content: message("", id, 1, randomBytes(9 << 20).toString("base64")).content }] }), TooLarge);
      assert.equal((await memory.listMessagesById({ messageIds: [`d-${id}`] })).messages[0]?.role, "user");
      await memory.deleteMessages([`d-${id}`]);
      await assert.rejects(memory.saveMessages({ messages: [{ ...message(`c-${id}`, id, 1), threadId: "" }] }), /threadId/);
      assert.deepEqual([(await memory.listMessages({ threadId: id })).total, (await fresh().listMessages({ threadId: id })).total], [0, 0]);
    });

    test("an agent goes on in another process", async () => {
      const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
      const [id, ann] = [name(), name()];
      const ask = async (prompt: string) => {
        const model = new MockLanguageModelV4({ doGenerate: { content: [{ type: "text", text: `You said: ${prompt}` }], finishReason: { unified: "stop", raw: "stop" }, usage, warnings: [] } });
        const storage = new AgentMemoryStore({ url: world[where].url, default: new InMemoryStore() });
        const { middleware } = new AgentMemoryChat({ chatId: `turns-${id}`, url: world[where].url });
        const asked = where === "sidecar" ? wrapLanguageModel({ model, middleware }) : model;
        const agent = new Agent({ id: "a", name: "a", instructions: "Be brief.", model: asked as never, memory: new Memory() });
        await new Mastra({ agents: { agent }, storage, logger: false }).getAgent("agent").generate(prompt, { memory: { thread: id, resource: ann } });
        return JSON.stringify(model.doGenerateCalls[0]?.prompt);
      };
      await ask("My name is Ann.");
      const sent = await ask("What is my name?");
      assert.match(sent, /My name is Ann\./);
      assert.match(sent, /You said: My name is Ann\./);
      assert.equal((await fresh().listMessages({ threadId: id })).total, 4);
      if (where === "server") return;
      const recorded = [];
      for await (const row of new Client({ url: world.sidecar.url }).iterMessages(`turns-${id}`)) recorded.push(`${row.role}: ${row.content}`);
      assert.deepEqual(recorded.slice(0, 3), ["user: My name is Ann.", "assistant: You said: My name is Ann.", "user: What is my name?"]);
    });
  });
}
