// LangGraph on agent memory: a checkpointer and a store. Needs @langchain/langgraph-checkpoint.
import { saidIfUntested } from "../adapters.js";

export { AgentMemorySaver } from "./saver.js";
export { AgentMemoryStore, type StoreOptions } from "./store.js";

saidIfUntested("@langchain/langgraph-checkpoint", [1, 2], [1, 3]);
