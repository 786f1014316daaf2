// LangChain on agent memory: a retriever and a key-value store. Needs @langchain/core.
import { saidIfUntested } from "../adapters.js";

export { AgentMemoryByteStore, type ByteStoreOptions } from "./byte_store.js";
export { AgentMemoryRetriever, type RetrieverOptions } from "./retriever.js";

saidIfUntested("@langchain/core", [1, 4], [1, 5]);
