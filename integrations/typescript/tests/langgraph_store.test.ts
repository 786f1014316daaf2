// The store beside LangGraph's own in memory, on a server and through a sidecar; lives of values, writers at once, meaning.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { InMemoryStore, type Item, type Operation } from "@langchain/langgraph-checkpoint";

import { Client, TooLarge } from "agent-memory";
import { AgentMemoryStore, type StoreOptions } from "agent-memory/langgraph";
import { nameOf, projectOf } from "../src/langgraph/store_rows.js";
import { aWorld, name, until } from "./world.js";

const FILTERS = [undefined, { n: 3 }, { n: { $gt: 2, $lte: 5 } }, { n: { $ne: 1 } }, { word: { $in: ["one"] } }, { none: { $eq: null } }];
const LABELS = ["a", "b", "users", "v1"];

let world: Awaited<ReturnType<typeof aWorld>>;
before(async () => {
  world = await aWorld();
});
after(() => world.done());

function storeOf(where: "server" | "sidecar", options: StoreOptions = {}): AgentMemoryStore {
  return new AgentMemoryStore({ url: world[where].url, agent: where === "server" ? `a-${name()}` : "coder", ...options });
}

/** Results without times; of a search the set, since the order without a query is a store's own. */
function told(results: unknown[]): unknown[] {
  return results.map((result) => {
    if (Array.isArray(result) && (result[0] as Item | undefined)?.namespace) return told(result).map((one) => JSON.stringify(one)).sort();
    const item = result as Item | null | undefined;
    return item && "namespace" in item ? [item.namespace, item.key, item.value] : result ?? null;
  });
}

/** Numbers from 0 below `count`, the same in each run. */
function chance(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (state * 48271) % 0x7fffffff;
    return state % count;
  };
}

for (const where of ["server", "sidecar"] as const) {
  describe(where, () => {
    test("a random history answers as LangGraph's own store", async () => {
      const [store, model, below] = [storeOf(where), new InMemoryStore(), chance(11)];
      const namespace = () => Array.from({ length: 1 + below(3) }, () => LABELS[below(LABELS.length)] ?? "");
      const value = () => ({ deep: { a: below(2) }, n: below(7), none: null, word: below(2) ? "one" : "two" });
      for (let turn = 0; turn < 60; turn++) {
        // Without deletions, after which LangGraph's own store lists namespaces that have nothing.
        const puts: Operation[] = [1, 2].map(() => ({ namespace: namespace(), key: `k${below(4)}`, value: value() }));
        const filter = FILTERS[below(FILTERS.length)];
        const ops: Operation[] = [
          ...puts, { namespace: namespace(), key: `k${below(4)}` },
          { namespacePrefix: namespace().slice(0, below(3)), ...(filter ? { filter } : {}), limit: 1000 },
          { matchConditions: [{ matchType: below(2) ? "prefix" : "suffix", path: ["*", LABELS[below(4)] ?? ""] }], maxDepth: 1 + below(3), limit: 5, offset: below(2) },
        ];
        assert.deepEqual(told(await store.batch(ops)), told(await model.batch(ops)), `turn ${turn}`);
        const gone = { namespace: namespace(), key: `k${below(4)}` };
        if (below(4)) continue;
        for (const one of [store, model]) await one.delete(gone.namespace, gone.key);
        for (const one of [store, model]) await one.put(gone.namespace, "stays", {});
      }
    });

    test("a search by meaning ranks within its namespace, and what has no score follows", async () => {
      const store = storeOf(where);
      const texts = { car: "The automobile needs new tyres.", cat: "A kitten sleeps on the sofa.", sea: "Waves break at the shore." };
      for (const user of ["ann", "bob"]) {
        for (const [key, text] of Object.entries(texts)) await store.put(["memories", user], key, { text, user });
      }
      await store.put(["memories", "ann"], "secret", { text: "a kitten, not to be found by its words" }, false);
      const [first, second] = await store.search(["memories", "ann"], { query: "which cat is sleeping?", limit: 2 });
      assert.deepEqual([first?.key, first?.namespace], ["cat", ["memories", "ann"]]);
      assert.ok((first?.score ?? 0) > (second?.score ?? 0));
      const bobs = await store.search(["memories"], { query: "kitten", filter: { user: "bob" } });
      assert.deepEqual([bobs[0]?.key, bobs[0]?.namespace, bobs.length], ["cat", ["memories", "bob"], 3]);
      const everything = await store.search(["memories", "ann"], { query: "kitten" });
      assert.deepEqual([everything.at(-1)?.score, everything.length], [undefined, 4]);
      await store.delete(["memories", "ann"], "cat");
      assert.ok((await store.search(["memories", "ann"], { query: "kitten" })).every((row) => row.key !== "cat"));
    });
  });
}

test("chosen fields are found by meaning, and what is not to be found is in no index", async () => {
  const [store, space, client] = [storeOf("server", { fields: ["text"] }), [name()], new Client({ url: world.server.url })];
  await store.put(space, "1", { text: "green apples", hidden: "zeppelin" });
  await store.put(space, "2", { other: { part: ["zeppelin"] } }, ["other.part[*]"]);
  const keys = async (query: string) => (await store.search(space, { query })).map((row) => row.key);
  assert.deepEqual([await keys("zeppelin"), await keys("apples")], [["2", "1"], ["1", "2"]]);
  await store.delete(space, "1");
  await store.put(space, "2", { other: 1 }, false);
  assert.deepEqual((await client.findItems({ project: projectOf(space) })).items, []);
});

test("a search without a query pages from the newest change, and other values of the agent are not rows", async () => {
  const agent = `a-${name()}`;
  const store = storeOf("server", { agent });
  await new Client({ url: world.server.url }).putShared(agent, "plan", { namespace: "mine" }, { as: agent });
  for (let number = 0; number < 5; number++) await store.put(["docs"], String(number), { number });
  await store.put(["docs"], "1", { number: 10 });
  const pages = [];
  for (const offset of [0, 2, 4]) pages.push((await store.search(["docs"], { limit: 2, offset })).map((row) => row.key));
  assert.deepEqual(pages, [["1", "4"], ["3", "2"], ["0"]]);
  assert.deepEqual(await store.listNamespaces(), [["docs"]]);
});

test("of writers at once the last counts, and the time of creation stays", async () => {
  const store = storeOf("server");
  await store.put(["n"], "k", { first: true });
  const created = (await store.get(["n"], "k"))?.createdAt;
  await Promise.all([1, 2, 3].map((number) => store.put(["n"], "k", { number })));
  const found = await store.get(["n"], "k");
  assert.ok([1, 2, 3].includes(found?.value["number"] as number));
  assert.deepEqual(found?.createdAt, created);
});

test("a value that another deleted between reading and writing is created anew", async () => {
  const agent = `a-${name()}`;
  const other = storeOf("server", { agent });
  let deleted = false;
  const meanwhile: typeof fetch = async (url, init) => {
    if (init?.method === "PUT" && !deleted) {
      deleted = true;
      await other.delete(["n"], "k");
    }
    return fetch(url, init);
  };
  await other.put(["n"], "k", { number: 1 });
  const created = (await other.get(["n"], "k"))?.createdAt;
  await storeOf("server", { agent, fetch: meanwhile }).put(["n"], "k", { number: 2 });
  const found = await other.get(["n"], "k");
  assert.deepEqual(found?.value, { number: 2 });
  assert.ok(created && found && found.createdAt > created);
});

test("a value over the limit is an error and changes nothing", async () => {
  const store = storeOf("server");
  await store.put(["n"], "k", { text: "small" });
  await assert.rejects(store.put(["n"], "k", { text: "x".repeat(70_000) }), TooLarge);
  assert.deepEqual((await store.get(["n"], "k"))?.value, { text: "small" });
  await assert.rejects(store.put([], "k", {}), /empty/);
});

test("a value lives as long as the store says, and its index with it", async () => {
  const [agent, client] = [`a-${name()}`, new Client({ url: world.server.url })];
  const store = storeOf("server", { agent, ttlMinutes: 1.5 / 60 });
  const [namespace, project] = [[name()], () => projectOf(namespace)];
  await store.put(namespace, "k", { text: "soon gone" });
  assert.ok(await store.get(namespace, "k"));
  assert.equal((await client.getItem(nameOf(namespace, "k"), { project: project() })).key, nameOf(namespace, "k"));
  await until(async () => (await store.get(namespace, "k")) === null);
  await until(async () => (await client.findItems({ query: "soon gone", project: project() })).items.length === 0);
  assert.deepEqual(await store.search(namespace), []);
});
