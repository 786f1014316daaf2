// Where memory is: the address that a client uses unless it is given one.
import { execFile } from "node:child_process";

import { Unreachable } from "./errors.js";

const START_MS = 60_000;

/** `given`, else AGENT_MEMORY_URL, else what `agent-memory url` prints, which starts memory on this machine. */
export async function addressOf(given?: string): Promise<string> {
  const url = given || process.env["AGENT_MEMORY_URL"] || (await fromProgram());
  return (url.includes("//") ? url : `http://${url}`).replace(/\/+$/, "");
}

function fromProgram(): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile("agent-memory", ["url"], { timeout: START_MS }, (error, stdout, stderr) => {
      if (!error) resolve(stdout.trim());
      else if (error.code === "ENOENT") {
        reject(new Unreachable("no address of memory", { remedy: "give url, set AGENT_MEMORY_URL, or install the program agent-memory" }));
      } else reject(new Unreachable(`agent-memory url: ${stderr.trim() || error.message}`, { remedy: "run agent-memory doctor", cause: error }));
    });
  });
}
