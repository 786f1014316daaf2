// The TypeScript blocks of the pages run as they are, with the address of a sidecar. run_tests.py lays them out.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { aWorld } from "./world.js";

// Frameworks that ask for a newer Node than this package.
const NEED_NEWER = /^(ai-sdk|mastra)-/;

let world: Awaited<ReturnType<typeof aWorld>>;
before(async () => {
  world = await aWorld();
});
after(() => world.done());

for (const program of readdirSync("examples").sort()) {
  test(`example ${program}`, async () => {
    const env = { ...process.env, AGENT_MEMORY_URL: world.sidecar.url };
    const node = NEED_NEWER.test(program) ? (process.env["AGENT_MEMORY_NEWER_NODE"] ?? process.execPath) : process.execPath;
    await promisify(execFile)(node, [`dist/examples/${program.replace(/ts$/, "js")}`], { env, timeout: 120_000 });
  });
}

test("the quickstart has ten lines", () => {
  assert.ok(readFileSync("examples/typescript-1.ts", "utf8").trim().split("\n").length <= 10);
});
