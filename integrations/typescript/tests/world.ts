// The real programs for tests: started as the project's end-to-end tests start them, on ports of their own, in a temporary folder.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const BIN = process.env["AGENT_MEMORY_BIN"] ?? join(process.env["AGENT_MEMORY_REPOSITORY"] ?? "../..", "build/release/bin");
const START_MS = 60_000;
// Settings for the time limits after which a program answers with less than it knows: a busy machine reaches the defaults.
const PATIENT = { AGENT_MEMORY_RECALL_TIMEOUT: "10s", AGENT_MEMORY_QUERY_DEADLINE: "30s", AGENT_MEMORY_READ_TIMEOUT: "60s" };

export async function until<T>(condition: () => Promise<T> | T, withinMs = START_MS): Promise<NonNullable<T>> {
  for (const end = Date.now() + withinMs; ; await sleep(5)) {
    const found = await condition();
    if (found) return found;
    if (Date.now() > end) throw new Error("it did not happen in time");
  }
}

/** One process. A restart keeps the ports of the first start. */
export class Program {
  url = "";
  admin = "";
  private process: ChildProcess | undefined;
  private readonly log: string;

  constructor(private readonly name: string, private readonly args: string[], folder: string) {
    this.log = join(folder, `${name}-${crypto.randomUUID()}.log`);
  }

  async start(): Promise<this> {
    const log = openSync(this.log, "w");
    const listen = ["--listen", this.url.slice("http://".length) || "127.0.0.1:0", "--admin", this.admin || "127.0.0.1:0"];
    this.process = spawn(join(BIN, this.name), [...this.args, ...listen], { stdio: ["ignore", log, log], env: { ...process.env, ...PATIENT } });
    const said = await until(() => this.listening() ?? (this.process?.exitCode === null ? undefined : "ended"));
    if (said === "ended") throw new Error(`${this.name} did not start:\n${readFileSync(this.log, "utf8")}`);
    this.url = `http://${said.api}`;
    this.admin = said.admin;
    return this;
  }

  private listening(): { api: string; admin: string } | undefined {
    const line = readFileSync(this.log, "utf8").split("\n").slice(0, -1).find((text) => text.includes('"msg":"listening"'));
    return line === undefined ? undefined : (JSON.parse(line) as { api: string; admin: string });
  }

  /** SIGKILL; returns after the end of the process. */
  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.process?.once("exit", resolve));
    if (this.process?.exitCode === null && this.process.kill("SIGKILL")) await ended;
  }
}

export function aServer(folder: string): Promise<Program> {
  return new Program("agent-memory-server", ["--data-dir", join(folder, `memory-${crypto.randomUUID()}`), ...store(folder)], folder).start();
}

/** Files; or, if AGENT_MEMORY_TEST_STORE is postgres, a database on the server of e2e/support/postgres.py. */
function store(folder: string): string[] {
  if (process.env["AGENT_MEMORY_TEST_STORE"] !== "postgres") return [];
  const [directory, database] = [process.env["AGENT_MEMORY_TEST_POSTGRES"] ?? "", `t${name().slice(0, 24)}`];
  execFileSync("createdb", ["-h", directory, "-U", "postgres", database]);
  const address = join(folder, `dsn-${database}`);
  writeFileSync(address, `host=${directory} user=postgres dbname=${database}`);
  return ["--store", "postgres", "--dsn-file", address];
}

export async function aSidecar(folder: string, server: Program): Promise<Program> {
  const policy = join(folder, "policy.json");
  writeFileSync(policy, JSON.stringify({
    version: 1, agent: "coder",
    memory: { url: server.url, project: "billing", contextLimit: 5, rememberPrompts: true, allowAdmin: true },
    toolHooks: { memorySaveRules: [{ tool: "bash", matchOutput: "error", type: "bugfix" }], blockedCommands: ["rm -rf"] },
  }));
  const program = await new Program("agent-memory-sidecar", ["--policy", policy, "--data-dir", join(folder, "state")], folder).start();
  await until(() => fetch(`http://${program.admin}/readyz`).then((answer) => answer.ok, () => false));
  return program;
}

export interface World {
  folder: string;
  server: Program;
  sidecar: Program;
}

/** A server with a sidecar, until `done`. */
export async function aWorld(): Promise<World & { done: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "agent-memory-typescript-"));
  const server = await aServer(folder);
  const sidecar = await aSidecar(folder, server);
  return { folder, server, sidecar, done: async () => {
    await sidecar.kill();
    await server.kill();
    rmSync(folder, { recursive: true });
  } };
}

export function name(): string {
  return crypto.randomUUID().replaceAll("-", "");
}
