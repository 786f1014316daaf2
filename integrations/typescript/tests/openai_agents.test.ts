// The session under the SDK's own runner with a scripted model, on a server and through a sidecar; removals at once; recall.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";

import { Agent, type AgentInputItem, run, tool } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";
import { z } from "zod";

import { Client, NotFound, TooLarge } from "agent-memory";
import { AgentMemorySession } from "agent-memory/openai-agents";
import { aWorld, name, until } from "./world.js";

let world: Awaited<ReturnType<typeof aWorld>>;
before(async () => {
  world = await aWorld();
});
after(() => world.done());

function user(content: string): AgentInputItem {
  return { role: "user", content };
}

function texts(items: AgentInputItem[]): unknown[] {
  return items.map((item) => ("content" in item ? item.content : undefined));
}

for (const where of ["server", "sidecar"] as const) {
  describe(where, () => {
    const sessionOf = (sessionId = name()) => new AgentMemorySession({ sessionId, url: world[where].url });

    test("a run continues in another process with calls and results", async () => {
      const weather = tool({ name: "weather", description: "", parameters: z.object({ city: z.string() }), execute: ({ city }) => `rain in ${city}` });
      const model = new ScriptedModel([[functionCall("weather", { city: "Bonn" }, { callId: "c1" })], [assistantMessage("It rains.")], [assistantMessage("Yes.")]]);
      const [agent, id] = [new Agent({ name: "a", model, tools: [weather] }), name()];
      await run(agent, "Weather in Bonn?", { session: sessionOf(id) });
      await run(agent, "Really?", { session: sessionOf(id) });
      const kinds = (await sessionOf(id).getItems()).map((item) => item.type ?? "message");
      assert.deepEqual(kinds, ["message", "function_call", "function_call_result", "message", "message", "message"]);
      const sent = model.calls.at(-1)?.request.input as AgentInputItem[];
      assert.match(JSON.stringify(sent), /rain in Bonn/);
      assert.match(JSON.stringify(sent.at(-1)), /Really\?/);
    });

    test("items come back as they were", async () => {
      const items = [user('ü 🎲 "; DROP TABLE \u0000 \ud83d'), { type: "unknown", providerData: { deep: [{ n: 1.5, null: null }] } }, user("long ".repeat(100_000))] as AgentInputItem[];
      const [id, session] = [name(), sessionOf()];
      await sessionOf(id).addItems(items);
      await sessionOf(id).addItems([]);
      const other = sessionOf(id);
      assert.deepEqual([await other.getItems(), await other.getItems(2), await other.getItems(0)], [items, items.slice(1), []]);
      assert.deepEqual([await other.popItem(), await other.popItem(), await other.getItems()], [items[2], items[1], items.slice(0, 1)]);
      assert.deepEqual([await session.getItems(), await session.popItem(), await other.getSessionId()], [[], undefined, id]);
    });

    test("each of many removals gets another item", async () => {
      const id = name();
      const sessions = [1, 2, 3, 4].map(() => sessionOf(id));
      const items = [..."0123456789"].map(user);
      await sessions[0]?.addItems(items);
      const taken = await Promise.all(sessions.flatMap((session) => [session.popItem(), session.popItem()]));
      const left = await sessionOf(id).getItems();
      assert.equal(left.length, 2);
      assert.deepEqual(texts([...taken.filter((item) => item !== undefined), ...left]).sort(), [..."0123456789"]);
    });

    test("a cleared session is empty for all and begins anew", async () => {
      const id = name();
      const [one, other] = [sessionOf(id), sessionOf(id)];
      await one.addItems([user("a"), user("b")]);
      assert.deepEqual(texts(await other.getItems()), ["a", "b"]);
      await one.clearSession();
      assert.deepEqual([await other.getItems(), await one.getItems()], [[], []]);
      await other.addItems([user("c")]);
      assert.deepEqual(texts(await one.getItems()), ["c"]);
      await one.clearSession();
      await one.clearSession();
    });
  });
}

test("a server keeps nothing of a cleared session", async () => {
  const session = new AgentMemorySession({ sessionId: "cleared", url: world.server.url });
  await session.addItems([user("a")]);
  await session.clearSession();
  for await (const row of new Client({ url: world.server.url }).iterConversations()) assert.ok(!row.id.includes("cleared"), row.id);
});

test("memories stand before the prompt and are not stored", async () => {
  const word = name();
  const ask = async (session: AgentMemorySession, prompt: string) => {
    const model = new ScriptedModel([[assistantMessage("Noted.")]]);
    await run(new Agent({ name: "a", model }), prompt, { session, callModelInputFilter: session.recall });
    return model.calls[0]?.request.input as AgentInputItem[];
  };
  const sessionOf = () => new AgentMemorySession({ sessionId: name(), url: world.sidecar.url });
  await ask(sessionOf(), `Remember: the ${word} opens on Sundays.`);
  await until(async () => (await new Client({ url: world.sidecar.url }).search({ q: word })).length);
  const second = sessionOf();
  const sent = await ask(second, `When does the ${word} open?`);
  assert.deepEqual(sent.map((item) => "role" in item && item.role), ["system", "user"]);
  assert.match(JSON.stringify(sent[0]), new RegExp(`the ${word} opens on Sundays`));
  const kept = await second.getItems();
  assert.equal(kept.length, 2);
  assert.ok(!JSON.stringify(kept).includes("Sundays"));
});

test("recall without a sidecar says what it needs, and items that are too large are refused as a whole", async () => {
  const session = new AgentMemorySession({ sessionId: name(), url: world.server.url });
  const agent = new Agent({ name: "a", model: new ScriptedModel([[assistantMessage("no")]]) });
  await assert.rejects(run(agent, "hello", { session, callModelInputFilter: session.recall }), (error) => {
    return (error instanceof NotFound || (error as Error).cause instanceof NotFound) && (error as Error).message.includes("sidecar");
  });
  const before = await session.getItems();
  const huge = [user("small"), user(randomBytes(9 << 20).toString("base64"))];
  await assert.rejects(session.addItems(huge), TooLarge);
  assert.deepEqual(await session.getItems(), before);
});
