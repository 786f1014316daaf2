// Starts and stops the real memory server, on ports that the system chooses, and asks it as an agent would.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export class Server {
  constructor(...more) {
    this.folder = mkdtempSync(join(tmpdir(), "agent-memory-console-"));
    this.more = more;
    this.listen = more.includes("--insecure") ? "0.0.0.0:0" : "127.0.0.1:0";
  }
  async start() {
    const binary = join(process.env.AGENT_MEMORY_BIN, "agent-memory-server");
    this.process = spawn(binary, ["--data-dir", join(this.folder, "memory"), "--listen", this.listen, "--admin", "127.0.0.1:0", "--query-deadline", "10s", "--read-timeout", "60s", ...this.more], { stdio: ["ignore", "pipe", "pipe"] });
    const log = [];
    for (const stream of [this.process.stdout, this.process.stderr]) {
      const lines = createInterface({ input: stream });
      lines.on("line", (line) => {
        log.push(line);
        if (line.includes('"listening"')) this.heard?.(JSON.parse(line).api);
      });
    }
    const api = await Promise.race([new Promise((heard) => (this.heard = heard)), once(this.process, "exit").then(() => null)]);
    if (!api) throw new Error("the server did not start:\n" + log.slice(-5).join("\n"));
    this.listen = this.listen.replace(/0$/, api.split(":").at(-1));  // a restart keeps the port
    this.url = "http://127.0.0.1:" + api.split(":").at(-1);
    return this;
  }
  async stop() {
    const ended = once(this.process, "exit");
    this.process.kill("SIGTERM");
    await ended;
  }
  async end() {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
  residentBytes() {
    return 1024 * +readFileSync(`/proc/${this.process.pid}/status`, "utf8").match(/VmRSS:\s+(\d+)/)[1];
  }
  async ask(method, path, body, headers = {}) {
    const answer = await fetch(this.url + path, { method, headers: { "Content-Type": "application/json", ...headers }, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }
  // → the id of a new observation; no two have the same text, unless they say so.
  async save(fields) {
    const project = fields.project ?? "billing";
    const body = { session_id: "s " + project, type: "decision", title: "A title", content: "Some text", project, ...fields };
    return (await this.ask("POST", "/observations", body)).id;
  }
}
