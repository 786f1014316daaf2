// A chat of the AI SDK with scripted models, on a server and through a sidecar: saved messages, memories, tools, streams.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";

import { generateText, jsonSchema, simulateReadableStream, stepCountIs, streamText, tool, type UIMessage, wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";

import { Client, NotFound, TooLarge } from "agent-memory";
import { AgentMemoryChat } from "agent-memory/ai-sdk";
import { aWorld, name, until } from "./world.js";

let world: Awaited<ReturnType<typeof aWorld>>;
before(async () => {
  world = await aWorld();
});
after(() => world.done());

type Result = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };

function says(text: string): Result {
  return { content: [{ type: "text", text }], finishReason: { unified: "stop", raw: "stop" }, usage, warnings: [] };
}

function calls(toolName: string, input: object, toolCallId = name()): Result {
  const content: Result["content"] = [{ type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) }];
  return { content, finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage, warnings: [] };
}

function modelOf(chat: AgentMemoryChat, ...results: Result[]): { model: ReturnType<typeof wrapLanguageModel>; mock: MockLanguageModelV4 } {
  const mock = new MockLanguageModelV4({ doGenerate: results });
  return { mock, model: wrapLanguageModel({ model: mock, middleware: chat.middleware }) };
}

function message(role: "user" | "assistant", text: string, id = name()): UIMessage {
  return { id, role, parts: [{ type: "text", text }] };
}

/** The messages that the sidecar has of a conversation. */
async function recorded(id: string): Promise<[string, string][]> {
  const rows: [string, string][] = [];
  for await (const row of new Client({ url: world.sidecar.url }).iterMessages(id)) rows.push([row.role, row.content ?? ""]);
  return rows;
}

for (const where of ["server", "sidecar"] as const) {
  describe(where, () => {
    const chatOf = (chatId = name()) => new AgentMemoryChat({ chatId, url: world[where].url });

    test("messages come back as they were saved, in another process", async () => {
      const id = name();
      const messages: UIMessage[] = [
        message("user", 'ü 🎲 "; DROP TABLE \u0000 \ud83d'),
        { ...message("assistant", "long ".repeat(100_000)), metadata: { deep: [{ n: 1.5, null: null }] } },
        { id: "m3", role: "assistant", parts: [{ type: "tool-weather", toolCallId: "c1", state: "output-available", input: { city: "Bonn" }, output: "rain" }] },
      ];
      assert.deepEqual(await chatOf(id).load(), []);
      await chatOf(id).save(messages);
      assert.deepEqual(await chatOf(id).load(), messages);
    });

    test("a save replaces what changed and keeps the rest, also of another writer", async () => {
      const id = name();
      const [one, other] = [chatOf(id), chatOf(id)];
      const [a, b, c] = [message("user", "a"), message("assistant", "b"), message("user", "c")];
      await one.save([a, b]);
      await other.save([a, b, c]);
      assert.deepEqual(await one.load(), [a, b, c]);
      await one.save([a, { ...b, parts: [{ type: "text", text: "regenerated" }] }]);
      assert.deepEqual((await other.load()).map((each) => each.parts[0]), [a.parts[0], { type: "text", text: "regenerated" }]);
      await Promise.all([one.save([a, c]), other.save([a, b])]);
      assert.deepEqual(await one.load(), await chatOf(id).load());
    });

    test("what is the same is not written again, and a loaded message is the caller's", async () => {
      const [id, a] = [name(), message("user", "a")];
      const chat = chatOf(id);
      await chat.save([a]);
      const [loaded] = await chat.load();
      if (loaded) loaded.parts = [];
      await chat.save([a]);
      assert.deepEqual(await chat.load(), [a]);
      const rows = [];
      for await (const row of new Client({ url: world[where].url }).iterMessages(`ai-sdk:${id}`)) rows.push(row);
      assert.equal(rows.length, 1);
    });

    test("a deleted chat is empty for all and begins anew", async () => {
      const id = name();
      const [one, other] = [chatOf(id), chatOf(id)];
      await one.save([message("user", "a")]);
      assert.equal((await other.load()).length, 1);
      await one.delete();
      assert.deepEqual([await other.load(), await one.load()], [[], []]);
      await other.save([message("user", "b")]);
      assert.equal((await one.load()).length, 1);
      await one.delete();
      await one.delete();
    });

    test("messages that are too large are refused as a whole", async () => {
      const chat = chatOf();
      await chat.save([message("user", "small")]);
      await assert.rejects(chat.save([message("user", "other"), message("user", randomBytes(9 << 20).toString("base64"))]), TooLarge);
      assert.equal(JSON.stringify(await chat.load()).includes("small"), true);
    });
  });
}

describe("through a sidecar", () => {
  const chatOf = (chatId = name()) => new AgentMemoryChat({ chatId, url: world.sidecar.url });

  test("memories stand in the prompt, and the chat is recorded without them", async () => {
    const [word, id] = [name(), name()];
    const first = chatOf(id);
    await generateText({ model: modelOf(first, says("Noted.")).model, prompt: `Remember: the ${word} opens on Sundays.` });
    assert.deepEqual(await recorded(id), [["user", `Remember: the ${word} opens on Sundays.`], ["assistant", "Noted."]]);
    await until(async () => (await new Client({ url: world.sidecar.url }).search({ q: word })).length);
    const [second, later] = [chatOf(), name()];
    const { model, mock } = modelOf(chatOf(later), calls("clock", {}), says("On Sundays."));
    const clock = tool({ inputSchema: jsonSchema<object>({ type: "object" }), execute: () => "noon" });
    await generateText({ model, tools: { clock }, stopWhen: stepCountIs(3), instructions: "Be brief.", prompt: `When does the ${word} open?` });
    const steps = mock.doGenerateCalls.map(({ prompt }) => prompt);
    assert.deepEqual(steps.map((prompt) => prompt.map(({ role }) => role)), [["system", "user"], ["system", "user", "assistant", "tool"]]);
    for (const step of steps) {
      const [memories, prompt] = step[1]?.content as { text: string }[];
      assert.match(memories?.text ?? "", new RegExp(`the ${word} opens on Sundays`));
      assert.equal(prompt?.text, `When does the ${word} open?`);
    }
    assert.deepEqual(await recorded(later), [["user", `When does the ${word} open?`], ["assistant", "On Sundays."]]);
    assert.deepEqual(await second.load(), []);
  });

  test("a prompt is recorded once for all steps, and each turn anew", async () => {
    const id = name();
    const chat = chatOf(id);
    const tools = { add: tool({ inputSchema: jsonSchema<{ a: number; b: number }>({ type: "object" }), execute: ({ a, b }) => a + b }) };
    const { model, mock } = modelOf(chat, calls("add", { a: 1, b: 2 }), calls("add", { a: 3, b: 4 }), says("3 and 7"), says("Yes."));
    const options = { model, tools: chat.tools(tools), stopWhen: stepCountIs(5) };
    assert.equal((await generateText({ ...options, prompt: "Sums?" })).text, "3 and 7");
    assert.equal((await generateText({ ...options, prompt: "Sums?" })).text, "Yes.");
    assert.equal(mock.doGenerateCalls.length, 4);
    const rows = (await recorded(id)).map(([role, content]) => `${role} ${content}`);
    const spoken = ["user Sums?", "assistant 3 and 7", "user Sums?", "assistant Yes."];
    assert.deepEqual(rows.filter((row) => spoken.includes(row)), spoken);
    assert.deepEqual(rows.filter((row) => row.startsWith("tool")), ["tool 3", "tool 7"]);
  });

  test("a stream is passed on as it is, and its text recorded", async () => {
    const id = name();
    const chat = chatOf(id);
    const stream = simulateReadableStream({ initialDelayInMs: null, chunkDelayInMs: null, chunks: [
      { type: "stream-start" as const, warnings: [] }, { type: "text-start" as const, id: "1" },
      ...["Hel", "lo", "."].map((delta) => ({ type: "text-delta" as const, id: "1", delta })),
      { type: "text-end" as const, id: "1" }, { type: "finish" as const, finishReason: { unified: "stop" as const, raw: "stop" }, usage },
    ] });
    const model = wrapLanguageModel({ model: new MockLanguageModelV4({ doStream: { stream } }), middleware: chat.middleware });
    const pieces = [];
    for await (const piece of streamText({ model, prompt: "Greet." }).textStream) pieces.push(piece);
    assert.deepEqual(pieces, ["Hel", "lo", "."]);
    assert.deepEqual(await recorded(id), [["user", "Greet."], ["assistant", "Hello."]]);
  });

  test("a denied call does not run, and the model is told why", async () => {
    const chat = chatOf();
    const ran: string[] = [];
    const tools = chat.tools({
      bash: tool({ inputSchema: jsonSchema<{ command: string }>({ type: "object" }), execute: ({ command }) => {
        ran.push(command);
        if (command === "false") throw new Error("exit code 1");
        return `ran ${command}`;
      } }),
    });
    const { model, mock } = modelOf(chat, calls("bash", { command: "rm -rf /" }), calls("bash", { command: "false" }), calls("bash", { command: "ls" }), says("Done."));
    await generateText({ model, tools, stopWhen: stepCountIs(6), prompt: "Clean up." });
    assert.deepEqual(ran, ["false", "ls"]);
    const outputs = (mock.doGenerateCalls.at(-1)?.prompt ?? []).filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content));
    assert.match(outputs[0] ?? "", /rm -rf/);
    assert.match(outputs[1] ?? "", /exit code 1/);
    assert.match(outputs[2] ?? "", /ran ls/);
  });

  test("a tool that yields its output step by step still does", async () => {
    const tools = chatOf().tools({
      count: tool({ inputSchema: jsonSchema<object>({ type: "object" }), async *execute() { yield 1; yield 2; } }),
      bundled: tool({ inputSchema: jsonSchema<object>({ type: "object" }), execute: () => (async function* () { yield "a"; yield "b"; })() }),
      elsewhere: tool({ inputSchema: jsonSchema<object>({ type: "object" }) }),
    });
    const options = { toolCallId: name(), messages: [], context: undefined };
    const seen = [];
    for await (const value of tools.count.execute?.({}, options) as AsyncIterable<number>) seen.push(value);
    assert.deepEqual(seen, [1, 2]);
    assert.equal(await (tools.bundled.execute?.({}, { ...options, toolCallId: name() }) as unknown as Promise<string>), "b");
    assert.ok(!("execute" in tools.elsewhere));
  });

  test("a turn that another process began is continued and not begun again", async () => {
    const id = name();
    const { model } = modelOf(chatOf(id), says("Done."));
    await generateText({ model, messages: [
      { role: "user", content: "Weather?" },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "weather", input: {} }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "weather", output: { type: "text", value: "rain" } }] },
    ] });
    await assert.rejects(recorded(id), NotFound);
  });

  test("an answer that cannot be recorded is still given", async () => {
    const failures: unknown[] = [];
    let answers = 0;
    const chat = new AgentMemoryChat({ chatId: name(), url: world.sidecar.url, onError: (error) => failures.push(error), fetch: (url, init) => {
      if (String(init?.body).includes('"Stop"') && ++answers) return Promise.resolve(Response.json({ error: "no", code: "invalid" }, { status: 400 }));
      return fetch(url, init);
    } });
    assert.equal((await generateText({ model: modelOf(chat, says("Here.")).model, prompt: "Answer?" })).text, "Here.");
    assert.deepEqual([answers, failures.length], [1, 1]);
  });
});

test("a model without a sidecar says what it needs", async () => {
  const chat = new AgentMemoryChat({ chatId: name(), url: world.server.url });
  await assert.rejects(generateText({ model: modelOf(chat, says("no")).model, prompt: "hello" }), (error) => {
    return error instanceof NotFound && error.message.includes("sidecar");
  });
});
