// What stands on the wire is what Python writes: names, and MessagePack byte for byte.
import assert from "node:assert/strict";
import { test } from "node:test";

import { type Packable, pack, unpack } from "../src/langgraph/msgpack.js";
import { conversationOf } from "../src/langgraph/records.js";
import { matches, nameOf, projectOf, textsAt } from "../src/langgraph/store_rows.js";

// Of ormsgpack.packb, of name_of, of conversation_of.
const VALUE: Packable = {
  a: null, b: [true, false, -1, -33, 127, 128, 255, 256, 65535, 65536, 2 ** 32, -(2 ** 40), 1.5, 2 ** 53 - 1], c: Buffer.from([0, 255]),
  d: "ü".repeat(20), e: Array<string>(17).fill("x"),
};
const PACKED = "haFhwKFinsPC/9Dff8yAzP/NAQDN///OAAEAAM8AAAABAAAAANP///8AAAAAAMs/+AAAAAAAAM8AH////////6FjxAIA/6Fk2SjDvMO8w7zDvMO8w7zDvMO8w7"
  + "zDvMO8w7zDvMO8w7zDvMO8w7zDvMO8oWXcABGheKF4oXiheKF4oXiheKF4oXiheKF4oXiheKF4oXiheKF4";

test("records are those of Python, byte for byte", () => {
  assert.equal(Buffer.from(pack(VALUE)).toString("base64"), PACKED);
  assert.deepEqual(unpack(Buffer.from(PACKED, "base64")), VALUE);
});

test("numbers, texts, bytes and lists of every size come back", () => {
  for (const size of [0, 15, 16, 31, 32, 255, 256, 65535, 65536]) {
    for (const value of ["x".repeat(size), Buffer.alloc(size, 7), Array<number>(size).fill(1), size, -1 - size, size + 0.5]) {
      assert.deepEqual(unpack(pack(value)), value);
    }
  }
  const wide = Object.fromEntries(Array.from({ length: 70_000 }, (_, number) => [`k${number}`, number]));
  assert.deepEqual(unpack(pack(wide)), wide);
  assert.deepEqual(unpack(pack({ ["__proto__"]: 1 })), JSON.parse('{"__proto__": 1}'));
});

test("a record that ends too early or has unknown bytes is an error", () => {
  for (const text of ["a3 61", "c4 05 01", "92 01", "cd 01", "c1", ""]) {
    assert.throws(() => unpack(Buffer.from(text.replaceAll(" ", ""), "hex")), /too early|unknown byte|out of range|outside/);
  }
});

test("names are those of Python", () => {
  assert.equal(nameOf(["a", "ü🎲\x7f"], 'k"\n'), "langgraph.6d9807eac0335ce14c0ba105a5eaca7906a13e25e928d539fc1c705417db9a0e");
  assert.equal(conversationOf("ü".repeat(150)), "langgraph:sha256:34e3accc5f5945a10b6b4a423437c50ea1adf0ee81da6a81e8e06c40a0027fe6");
  assert.equal(projectOf(["a", "b"]), "langgraph:a.b");
  assert.equal(projectOf(["x".repeat(200)]), "langgraph:sha256:638a35ec4f080bc3bb39a695fb36bc69ccbd5f6c11ebfe69c09a8fd7ab42cfc6");
});

test("filters and paths find what is there", () => {
  const value = { n: 3, list: [1, { a: "x" }], deep: { a: null, b: "y" } };
  assert.ok(matches(value, { n: { $in: [1, 3] }, list: [1, { a: "x" }], deep: { b: "y" } }));
  assert.ok(!matches(value, { n: { $nin: [3] } }) && !matches(value, { list: [1] }) && !matches(value, { gone: { $gt: 1 } }));
  assert.throws(() => matches(value, { n: { $near: 3 } }), /unknown operator \$near/);
  const paths = ["n", "list[*].a", "list[-1].a", "deep.a", "deep.b", "gone.x", "deep", "list[9]"];
  assert.deepEqual(paths.map((path) => textsAt(value, path)), [["3"], ["x"], ["x"], [], ["y"], [], ['{"a":null,"b":"y"}'], []]);
});
