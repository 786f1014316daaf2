// A graph of STEPS supersteps of two nodes each, a and b, in a process of its own: killed_graph.js URL THREAD LOG STEP. A node notes
// in LOG that it ran. b of STEP kills the process after the writes of a are stored, before it ran.
import { appendFileSync } from "node:fs";

import { Annotation, START, StateGraph } from "@langchain/langgraph";

import { AgentMemorySaver } from "agent-memory/langgraph";
import { until } from "./world.js";

export const STEPS = 12;

async function life(url: string, thread: string, log: string, diesAt: number): Promise<void> {
  const saver = new AgentMemorySaver({ url });
  const config = { configurable: { thread_id: thread }, recursionLimit: STEPS + 5, durability: "sync" as const };
  const done = Annotation<string[], string[]>({ reducer: (one, more) => [...one, ...more], default: () => [] });
  // Names of nodes are types of the graph, which these are not.
  const graph = new StateGraph(Annotation.Root({ done })) as unknown as {
    addNode(name: string, work: () => Promise<unknown>): void;
    addEdge(from: string, to: string): void;
    compile(options: object): { invoke(input: unknown, options: object): Promise<unknown> };
  };
  for (let step = 0; step < STEPS; step++) {
    for (const node of ["a", "b"]) {
      graph.addNode(`${node}${step}`, async () => {
        if (node === "b" && step === diesAt) {
          await until(async () => (await saver.getTuple(config))?.pendingWrites?.some((write) => JSON.stringify(write[2]).includes(`"a${step}"`)));
          process.kill(process.pid, "SIGKILL");
        }
        appendFileSync(log, `${node}${step}\n`);
        return { done: [`${node}${step}`] };
      });
      if (step === 0) graph.addEdge(START, `${node}0`);
      else for (const before of ["a", "b"]) graph.addEdge(`${before}${step - 1}`, `${node}${step}`);
    }
  }
  const begun = await saver.getTuple(config);
  await graph.compile({ checkpointer: saver }).invoke(begun ? null : { done: [] }, config);
}

if (process.argv[1]?.endsWith("killed_graph.js")) {
  const [url = "", thread = "", log = "", step = ""] = process.argv.slice(2);
  await life(url, thread, log, Number(step));
}
