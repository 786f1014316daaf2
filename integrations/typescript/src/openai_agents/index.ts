// The OpenAI Agents SDK on agent memory: a session, and memories before a prompt. Needs @openai/agents.
import { saidIfUntested } from "../adapters.js";

export { AgentMemorySession, type SessionOptions } from "./session.js";

saidIfUntested("@openai/agents-core", [0, 20], [0, 21]);
