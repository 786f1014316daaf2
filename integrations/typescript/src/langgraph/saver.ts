// AgentMemorySaver: LangGraph's checkpoints in the memory server or a sidecar.
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver, type ChannelVersions, type Checkpoint, type CheckpointListOptions, type CheckpointMetadata, type CheckpointPendingWrite,
  type CheckpointTuple, type DeltaChannelHistory, getCheckpointId, maxChannelVersion, type PendingWrite, type SerializerProtocol, TASKS, WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";

import { Client, type ClientOptions } from "../client.js";
import type { Packable } from "./msgpack.js";
import { bytesOf, type Head, keyOf, type Thread } from "./records.js";
import { Batch, ThreadLog } from "./thread_log.js";

/** One object serves any number of threads and runs at once. */
export class AgentMemorySaver extends BaseCheckpointSaver {
  private readonly log: ThreadLog;

  constructor(options: ClientOptions & { serde?: SerializerProtocol } = {}) {
    const { serde, ...client } = options;
    super(serde);
    this.log = new ThreadLog(new Client(client), this.serde);
  }

  /** Versions of two branches of a thread differ by their random part: text, which graphs take, and types of savers do not know. */
  override getNextVersion(current: number | undefined): number {
    const number = current === undefined ? 1 : Number.parseInt(String(current), 10) + 1;
    return `${String(number).padStart(32, "0")}.${String(Math.random()).slice(2)}` as unknown as number;
  }

  async put(config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, newVersions: ChannelVersions): Promise<RunnableConfig> {
    const { name, ns, id: parent } = placeOf(config);
    const { channel_values: all, ...body } = checkpoint;
    let thread = this.log.thread(name);
    const known = (channel: string) => thread.version(ns, channel, checkpoint.channel_versions[channel]);
    // What is not new was stored before, perhaps by another process.
    if (Object.keys(all).some((channel) => !(channel in newVersions) && !known(channel))) thread = await this.log.read(name);
    const batch = new Batch(thread, this.serde);
    const values: Packable[] = [];
    const versions: Packable[] = [];
    for (const [channel, value] of Object.entries(all)) {
      const version = checkpoint.channel_versions[channel];
      const before = channel in newVersions ? undefined : known(channel);
      if (before) values.push([channel, bytesOf(before)]);
      else if (channel in newVersions) {
        const ref = await batch.add(value);
        values.push([channel, ref]);
        if (version !== undefined) versions.push([channel, version, ref]);
      }
    }
    await this.log.append(thread, {
      kind: "checkpoint", thread: name, ns, id: checkpoint.id, parent: parent ?? null, body: await batch.add(body),
      metadata: await batch.add(metadata), values, versions,
    }, batch);
    return configOf(name, ns, checkpoint.id);
  }

  async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath = ""): Promise<void> {
    const { name, ns, id } = placeOf(config);
    if (!id) throw new Error("putWrites needs configurable.checkpoint_id: the checkpoint to which the writes belong");
    const thread = this.log.thread(name);
    const batch = new Batch(thread, this.serde);
    const rows: Packable[] = [];
    for (const [index, [channel, value]] of writes.entries()) rows.push([WRITES_IDX_MAP[channel] ?? index, channel, await batch.add(value)]);
    await this.log.append(thread, { kind: "writes", ns, id, task: taskId, path: taskPath, writes: rows }, batch);
  }

  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.["thread_id"] === undefined) return undefined;
    const { name, ns, id } = placeOf(config);
    const thread = await this.log.read(name);
    const head = thread.checkpoints.get(keyOf(ns, id ?? thread.latest(ns) ?? ""));
    return head && this.tupleOf(thread, head);
  }

  async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread_id: name, checkpoint_ns: ns } = (config.configurable ?? {}) as { thread_id?: string; checkpoint_ns?: string };
    const [id, last] = [getCheckpointId(config), options.before && getCheckpointId(options.before)];
    let left = options.limit ?? Infinity;
    for (const one of name === undefined ? await this.log.names() : [String(name)]) {
      const thread = await this.log.read(one);
      for (const head of thread.newest()) {
        if ((ns !== undefined && head.ns !== ns) || (id && head.id !== id) || (last && head.id >= last)) continue;
        if (options.filter && !isPart(options.filter, (await this.log.value(thread, head.metadata)) as object)) continue;
        if (left-- <= 0) return;
        yield await this.tupleOf(thread, head);
      }
    }
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.log.delete(String(threadId));
  }

  /** One read of the thread, then the chain of parents in memory. */
  override async getDeltaChannelHistory(options: { config: RunnableConfig; channels: string[] }): Promise<Record<string, DeltaChannelHistory>> {
    const history = Object.fromEntries(options.channels.map((channel): [string, DeltaChannelHistory] => [channel, { writes: [] }]));
    if (!options.channels.length) return history;
    const { name, ns, id } = placeOf(options.config);
    const thread = await this.log.read(name);
    const remaining = new Set(options.channels);
    for (const head of thread.ancestors(ns, id ?? thread.latest(ns))) {
      for (const write of thread.orderedWrites(head).reverse()) {
        if (remaining.has(write.channel)) history[write.channel]?.writes.unshift([write.task, write.channel, await this.log.value(thread, write.value)]);
      }
      for (const channel of remaining) {
        const [seed, entry] = [head.values.get(channel), history[channel]];
        if (!seed || !entry) continue;
        entry.seed = await this.log.value(thread, seed);
        remaining.delete(channel);
      }
      if (!remaining.size) break;
    }
    return history;
  }

  private async tupleOf(thread: Thread, head: Head): Promise<CheckpointTuple> {
    const values: [string, unknown][] = [];
    for (const [channel, ref] of head.values) values.push([channel, await this.log.value(thread, ref)]);
    const pendingWrites: CheckpointPendingWrite[] = [];
    for (const write of thread.orderedWrites(head)) pendingWrites.push([write.task, write.channel, await this.log.value(thread, write.value)]);
    const body = (await this.log.value(thread, head.body)) as Omit<Checkpoint, "channel_values">;
    const checkpoint: Checkpoint = { ...body, channel_values: Object.fromEntries(values) };
    if (body.v < 4) await this.withPendingSends(thread, head, checkpoint);
    return {
      config: configOf(thread.name, head.ns, head.id),
      checkpoint,
      metadata: (await this.log.value(thread, head.metadata)) as CheckpointMetadata,
      ...(head.parent ? { parentConfig: configOf(thread.name, head.ns, head.parent) } : {}),
      pendingWrites,
    };
  }

  /** Before version 4 of checkpoints, tasks were writes of the parent; now they are values of a channel. */
  private async withPendingSends(thread: Thread, head: Head, checkpoint: Checkpoint): Promise<void> {
    const parent = head.parent === null ? undefined : thread.checkpoints.get(keyOf(head.ns, head.parent));
    if (!parent) return;
    const sends: unknown[] = [];
    for (const write of thread.orderedWrites(parent)) if (write.channel === TASKS) sends.push(await this.log.value(thread, write.value));
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_values = { ...checkpoint.channel_values, [TASKS]: sends };
    checkpoint.channel_versions = { ...checkpoint.channel_versions, [TASKS]: versions.length ? maxChannelVersion(...versions) : this.getNextVersion(undefined) };
  }
}

function placeOf(config: RunnableConfig): { name: string; ns: string; id: string | undefined } {
  const { thread_id: name, checkpoint_ns: ns = "" } = (config.configurable ?? {}) as { thread_id?: unknown; checkpoint_ns?: string };
  if (name === undefined || name === null || name === "") throw new Error("a checkpointer needs configurable.thread_id: the thread that is kept");
  return { name: String(name), ns, id: getCheckpointId(config) || undefined };
}

function configOf(thread: string, ns: string, id: string): RunnableConfig {
  return { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id } };
}

/** Whether the fields of a filter have the same values in metadata. */
function isPart(filter: object, metadata: object): boolean {
  const there = new Map<string, unknown>(Object.entries(metadata));
  return Object.entries(filter).every(([name, value]) => JSON.stringify(there.get(name)) === JSON.stringify(value));
}
