// Vercel's AI SDK on agent memory: memories before a prompt, tools under the policy, messages of a chat. Needs ai.
import { saidIfUntested } from "../adapters.js";

export { AgentMemoryChat, type ChatOptions } from "./chat.js";

saidIfUntested("ai", [7, 0], [7, 1]);
