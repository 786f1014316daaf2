// What is sent again and when, with a fetch that fails as told; addresses; the generated files.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { calls, Client, type ClientOptions, Full, OverQuota, Retries, Unavailable, Unreachable, version } from "agent-memory";

const REPOSITORY = process.env["AGENT_MEMORY_REPOSITORY"] ?? "../..";
const QUICK = new Retries({ attempts: 3, firstMs: 1, longestMs: 10 });
const SAVED = { id: 1, action: "created", revision_count: 1, duplicate_count: 0 };
type Answers = (Response | string)[];

/** A client whose answers are these in order; a string is the code of an error of the connection. */
function clientOf(answers: Answers, more: ClientOptions = {}): { client: Client; seen: Headers[] } {
  const seen: Headers[] = [];
  const fetch = ((_: string, init: RequestInit) => {
    seen.push(new Headers(init.headers));
    const next = answers.shift();
    if (typeof next === "string") return Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error(next), { code: next }) }));
    return Promise.resolve(next);
  }) as typeof globalThis.fetch;
  return { client: new Client({ url: "http://memory", retries: QUICK, fetch, ...more }), seen };
}

function status(code: number, body: unknown = { error: "no", code: "" }, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status: code, headers });
}

function save(client: Client): Promise<unknown> {
  return client.saveObservation({ session_id: "s", project: "p", type: "note", title: "t", content: "c" });
}

test("a lost answer of a save is asked for with the same key", async () => {
  const { client, seen } = clientOf(["ECONNRESET", status(201, SAVED)]);
  assert.deepEqual(await save(client), SAVED);
  const keys = seen.map((headers) => headers.get("idempotency-key"));
  assert.equal(keys.length, 2);
  assert.ok(keys[0] === keys[1] && (keys[0]?.length ?? 0) > 20);
});

test("a lost answer of a write without a key stands", async () => {
  const { client, seen } = clientOf(["ECONNRESET", status(201, { traceId: "x" })]);
  await assert.rejects(client.addTrace({ content: "c" }), Unreachable);
  assert.equal(seen.length, 1);
});

test("a request that was not sent is sent again", async () => {
  const { client } = clientOf(["ECONNREFUSED", status(201, { traceId: "x" })]);
  assert.deepEqual(await client.addTrace({ content: "c" }), { traceId: "x" });
});

test("an overloaded server is asked again and others are not", async () => {
  const busy = clientOf([status(503, {}, { "retry-after": "0.001" }), status(429), status(201, { traceId: "x" })]);
  await busy.client.addTrace({ content: "c" });
  assert.equal(busy.seen.length, 3);
  for (const [code, kind, times] of [[507, Full, 1], [503, Unavailable, 3], [429, OverQuota, 3]] as const) {
    const { client, seen } = clientOf([status(code), status(code), status(code)]);
    await assert.rejects(client.getHealth(), kind);
    assert.equal(seen.length, times);
  }
});

test("pauses double and obey the server up to the limit", () => {
  const retries = new Retries({ attempts: 9, firstMs: 1000, longestMs: 5000, chance: () => 1 });
  const busy = (retryAfter?: number) => new Unavailable("busy", { status: 503, retryAfter });
  const pauses = [1, 2, 3, 4].map((attempt) => retries.pause(calls.getHealth(), attempt, busy(), true));
  assert.deepEqual(pauses, [1000, 2000, 4000, 5000]);
  assert.equal(retries.pause(calls.getHealth(), 1, busy(3), true), 3000);
  assert.equal(retries.pause(calls.getHealth(), 1, busy(60), true), 5000);
  assert.equal(retries.pause(calls.getHealth(), 9, busy(), true), undefined);
});

test("a token file is read for each request", async () => {
  const tokenFile = join(mkdtempSync(join(tmpdir(), "token-")), "token");
  const { client, seen } = clientOf([status(200, {}), status(200, {})], { tokenFile });
  for (const token of ["one", "two"]) {
    writeFileSync(tokenFile, `${token}\n`);
    await client.getHealth();
  }
  assert.deepEqual(seen.map((headers) => headers.get("authorization")), ["Bearer one", "Bearer two"]);
});

test("the address is given, or of the environment, or of the program", async () => {
  const asked: string[] = [];
  const fetch = ((url: string) => {
    asked.push(url);
    return Promise.resolve(status(200, {}));
  }) as typeof globalThis.fetch;
  const before = { ...process.env };
  const folder = mkdtempSync(join(tmpdir(), "program-"));
  const program = join(folder, "agent-memory");
  const says = (script: string) => {
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
  };
  try {
    process.env["AGENT_MEMORY_URL"] = "http://127.0.0.1:7437/";
    await new Client({ url: "host:1", fetch }).getHealth();
    await new Client({ fetch }).getHealth();
    delete process.env["AGENT_MEMORY_URL"];
    process.env["PATH"] = `${folder}:/usr/bin:/bin`;
    says('[ "$1" = url ] && echo http://127.0.0.1:40123');
    await new Client({ fetch }).getHealth();
    assert.deepEqual(asked, ["http://host:1/health", "http://127.0.0.1:7437/health", "http://127.0.0.1:40123/health"]);
    says("echo memory was stopped >&2; exit 1");
    await assert.rejects(new Client({ fetch }).getHealth(), /memory was stopped/);
    process.env["PATH"] = join(folder, "empty");
    await assert.rejects(new Client({ fetch }).getHealth(), /AGENT_MEMORY_URL/);
  } finally {
    process.env = before;
  }
});

test("of many calls at once no more are under way than a sidecar has connections for, and all are answered", async () => {
  let now = 0;
  let most = 0;
  const fetch = (async () => {
    most = Math.max(most, ++now);
    await new Promise(setImmediate);
    now--;
    return status(200, {});
  }) as typeof globalThis.fetch;
  const client = new Client({ url: "http://memory", fetch });
  const answers = await Promise.all(Array.from({ length: 100 }, () => client.getHealth()));
  assert.deepEqual([answers.length, most], [100, 32]);
});

test("the generated files are those of the server", () => {
  execFileSync("python3", [join(REPOSITORY, "integrations/typescript/generate_typescript.py"), "--check"], { stdio: "pipe" });
});

test("the version is that of the programs", () => {
  const cmake = /project\([^)]*VERSION ([\d.]+)/.exec(readFileSync(join(REPOSITORY, "CMakeLists.txt"), "utf8"))?.[1];
  const manifest = JSON.parse(readFileSync(join(REPOSITORY, "integrations/typescript/package.json"), "utf8")) as { version: string };
  assert.deepEqual([version, manifest.version], [cmake, cmake]);
});
