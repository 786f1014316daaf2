// Mastra on agent memory: the storage of threads, messages, resources and observations. Needs @mastra/core.
import { saidIfUntested } from "../adapters.js";

export { AgentMemoryDomain } from "./domain.js";
export { AgentMemoryStore, type StoreOptions } from "./store.js";

saidIfUntested("@mastra/core", [1, 71], [1, 72]);
