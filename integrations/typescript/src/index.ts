// Memory for agents: a client of the memory server and of its sidecar.
export * as calls from "./calls.js";
export { Client, type Bytes, type ClientOptions, type TransferFields } from "./client.js";
export { Conversation, type Verdict } from "./conversation.js";
export * from "./errors.js";
export type * as models from "./models.js";
export { type Call, Retries } from "./wire.js";

export const version = "0.1.0";
