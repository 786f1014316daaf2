// @langchain/langgraph-checkpoint-validation with its optional part, on a server and through a sidecar.
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { afterAll, beforeAll, describe } from "vitest";

import { AgentMemorySaver } from "agent-memory/langgraph";
import { aWorld } from "./world.js";

let world: Awaited<ReturnType<typeof aWorld>>;
beforeAll(async () => {
  world = await aWorld();
}, 60_000);
afterAll(() => world.done());

for (const where of ["server", "sidecar"] as const) {
  describe(where, () => {
    const initializer = {
      checkpointerName: "AgentMemorySaver",
      createCheckpointer: () => new AgentMemorySaver({ url: world[where].url }),
      // A checkpointer of the suite sees nothing of those before it.
      destroyCheckpointer: async (saver: AgentMemorySaver) => {
        const threads = new Set<string>();
        for await (const tuple of saver.list({})) threads.add(String(tuple.config.configurable?.["thread_id"]));
        for (const thread of threads) await saver.deleteThread(thread);
      },
    };
    validate(initializer);
    deltaChannelHistoryTests(initializer);
  });
}
