// What adapters say at import about versions that were not tested.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";

import { saidIfUntested } from "../src/adapters.js";

test("a version older or newer than tested is said, and others are not", async () => {
  const said: string[] = [];
  process.on("warning", (warning) => said.push(warning.message));
  const name = "@langchain/langgraph-checkpoint";
  saidIfUntested(name, [1, 2], [1, 3]);
  saidIfUntested("not-installed", [1, 0], [2, 0]);
  saidIfUntested(name, [1, 3], [2, 0]);
  saidIfUntested(name, [0, 1], [1, 2]);
  await once(process, "warning");
  await new Promise(setImmediate);
  assert.deepEqual(said, Array(2).fill("agent-memory is not tested with @langchain/langgraph-checkpoint 1.2.2"));
});
