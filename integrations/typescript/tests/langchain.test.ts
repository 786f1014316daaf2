// The retriever and the key-value store, on a server and through a sidecar: documents, the contract of stores, limits, redaction.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";

import { FakeListChatModel } from "@langchain/core/utils/testing";
import { RunnableLambda } from "@langchain/core/runnables";

import { Client, Damaged, TooLarge } from "agent-memory";
import { AgentMemoryByteStore, AgentMemoryRetriever } from "agent-memory/langchain";
import { aWorld, name } from "./world.js";

let world: Awaited<ReturnType<typeof aWorld>>;
let client: Client;
before(async () => {
  world = await aWorld();
  client = new Client({ url: world.server.url });
  for (const place of ["porch", "cellar", "attic", "kitchen", "garden"]) {
    await client.saveObservation({
      session_id: "houses", project: "billing", type: "fact", title: `lamp of the ${place}`, content: `The lamp in the ${place} is broken.`, tags: ["house"],
    });
  }
});
after(() => world.done());

async function keysOf(store: AgentMemoryByteStore, prefix?: string): Promise<string[]> {
  const keys = [];
  for await (const key of store.yieldKeys(prefix)) keys.push(key);
  return keys.sort();
}

for (const where of ["server", "sidecar"] as const) {
  describe(where, () => {
    const storeOf = () => new AgentMemoryByteStore({ url: world[where].url, agent: where === "server" ? "langchain" : "coder", namespace: name() });

    test("a chain gets the documents that fit, with what is known of each", async () => {
      const retriever = new AgentMemoryRetriever({ url: world[where].url, project: "billing", type: "fact", k: 2 });
      const found = await retriever.invoke("lamp in the cellar");
      assert.deepEqual([found.length, found[0]?.pageContent], [2, "The lamp in the cellar is broken."]);
      assert.deepEqual([found[0]?.metadata["title"], found[0]?.metadata["tags"]], ["lamp of the cellar", ["house"]]);
      assert.ok(Number(found[0]?.id) > 0);
      const chain = retriever.pipe(RunnableLambda.from((documents: { pageContent: string }[]) => documents.map((one) => one.pageContent).join(" ")))
        .pipe(new FakeListChatModel({ responses: ["Mend it."] }));
      assert.equal((await chain.invoke("which lamp is broken?")).text, "Mend it.");
    });

    test("a store has what was set, in the order asked, and neither what was deleted nor what is another's", async () => {
      const [one, other] = [storeOf(), storeOf()];
      assert.deepEqual([await one.mget(["a"]), await keysOf(one)], [[undefined], []]);
      const values: [string, Uint8Array][] = [["empty", new Uint8Array()], ["all", Uint8Array.from({ length: 256 }, (_, at) => at)], ["long", Buffer.alloc(100_000, "x")]];
      await one.mset(values);
      const got = await one.mget(["long", "missing", "all", "empty"]);
      assert.deepEqual(got.map((value) => value && Buffer.from(value).toString("hex").slice(0, 20) + value.length),
        ["78787878787878787878100000", undefined, "00010203040506070809256", "0"]);
      await one.mset([["all", Buffer.from("new")]]);
      assert.equal(Buffer.from((await one.mget(["all"]))[0] ?? []).toString(), "new");
      assert.deepEqual([await keysOf(one), await keysOf(one, "e"), await keysOf(other)], [["all", "empty", "long"], ["empty"], []]);
      await one.mdelete(["all", "missing"]);
      assert.deepEqual([await keysOf(one), await one.mget(["all"])], [["empty", "long"], [undefined]]);
    });

    test("any key is kept, and secrets in values come back unchanged", async () => {
      const store = storeOf();
      const keys = ["", "a/b", "ü".repeat(400), "k".repeat(1000)];
      const secret = "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
      await store.mset(keys.map((key) => [key, Buffer.from(secret + key)]));
      assert.deepEqual((await store.mget(keys)).map((value) => Buffer.from(value ?? []).toString()), keys.map((key) => secret + key));
      assert.deepEqual(await keysOf(store), keys.toSorted());
    });
  });
}

test("a value over the limit and a damaged one are errors", async () => {
  const store = new AgentMemoryByteStore({ url: world.server.url, namespace: name() });
  await assert.rejects(store.mset([["k", randomBytes(64 << 10)]]), TooLarge);
  assert.deepEqual(await store.mget(["k"]), [undefined]);
  await store.mset([["k", Buffer.from("value")]]);
  await client.putShared("langchain", store["name"]("k"), { key: "k", value: "AAAA" }, { as: "langchain" });
  await assert.rejects(store.mget(["k"]), Damaged);
});
