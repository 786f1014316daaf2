// AgentMemoryDomain: Mastra's storage of memory. Its operations are those of Mastra's own storage in the process' memory, over the
// rows that the logs of threads and resources have; what they change is appended to these logs.
import type { MastraDBMessage, StorageThreadType } from "@mastra/core/memory";
import {
  type CreateObservationalMemoryInput, type CreateReflectionGenerationInput, type InMemoryDB, InMemoryMemory, MemoryStorage,
  type ObservationalMemoryHistoryOptions, type ObservationalMemoryRecord, type StorageCloneThreadInput, type StorageCopyThreadOutput,
  type StorageListMessagesByResourceIdInput, type StorageListMessagesInput, type StorageListMessagesOutput, type StorageListThreadsInput,
  type StorageListThreadsOutput, type StorageResourceType, type SwapBufferedReflectionToActiveInput, type SwapBufferedToActiveInput,
  type SwapBufferedToActiveResult, type UpdateActiveObservationsInput, type UpdateBufferedObservationsInput, type UpdateBufferedReflectionInput,
  type UpdateObservationalMemoryConfigInput,
} from "@mastra/core/storage";

import type { Client } from "../client.js";
import { Logs } from "./logs.js";
import { databaseOf, nameOf, RESOURCES, type Rows, THREADS } from "./rows.js";

type Updates = Parameters<MemoryStorage["updateMessages"]>[0]["messages"];
type Include = { id: string; threadId?: string }[] | undefined;

const hasMessage = (rows: Rows, id: string) => rows.messages.has(id);
const hasObservation = (rows: Rows, id: string) => [...rows.observations.values()].some((all) => all.some((each) => each.id === id));

export class AgentMemoryDomain extends MemoryStorage {
  override readonly supportsObservationalMemory = true;
  override readonly supportsPartialThreadUpdate = true;
  private readonly logs: Logs;

  constructor(client: Client) {
    super();
    this.logs = new Logs(client);
  }

  override async dangerouslyClearAll(): Promise<void> {
    for (const kind of [THREADS, RESOURCES] as const) for await (const rows of this.logs.all(kind)) await this.logs.delete(rows);
  }

  async getThreadById({ threadId, resourceId }: { threadId: string; resourceId?: string }): Promise<StorageThreadType | null> {
    const given = { threadId, ...(resourceId !== undefined && { resourceId }) };
    return over([await this.logs.thread(threadId)]).memory.getThreadById(given);
  }

  async saveThread({ thread }: { thread: StorageThreadType }): Promise<StorageThreadType> {
    await this.logs.write(await this.logs.thread(thread.id), { thread });
    return thread;
  }

  async updateThread({ id, title, metadata }: { id: string; title?: string; metadata?: Record<string, unknown> }): Promise<StorageThreadType> {
    const patch = { ...(title !== undefined && { title }), metadata: metadata ?? {} };
    const rows = await this.logs.thread(id);
    const thread = await over([rows]).memory.updateThread({ id, ...patch });
    await this.logs.write(rows, { patch: { ...patch, updatedAt: thread.updatedAt } });
    return thread;
  }

  async deleteThread({ threadId }: { threadId: string }): Promise<void> {
    await this.logs.delete(await this.logs.thread(threadId));
  }

  async listMessages(args: StorageListMessagesInput): Promise<StorageListMessagesOutput> {
    const ids = [args.threadId].flat().filter((id) => id.trim());
    return over([...await this.logs.threads(ids), ...await this.included(args.include)]).memory.listMessages(args);
  }

  override async listMessagesByResourceId(args: StorageListMessagesByResourceIdInput): Promise<StorageListMessagesOutput> {
    const found: Rows[] = [];
    for await (const rows of this.logs.all(THREADS)) {
      if ([...rows.messages.values()].some(({ resourceId }) => resourceId === args.resourceId)) found.push(rows);
    }
    return over([...found, ...await this.included(args.include)]).memory.listMessagesByResourceId(args);
  }

  async listMessagesById({ messageIds }: { messageIds: string[] }): Promise<{ messages: MastraDBMessage[] }> {
    return over(await this.logs.having([THREADS], messageIds, hasMessage)).memory.listMessagesById({ messageIds });
  }

  /** One commit for each thread. */
  async saveMessages(args: { messages: MastraDBMessage[] }): Promise<{ messages: MastraDBMessage[] }> {
    const homeless = args.messages.find(({ threadId }) => !threadId);
    if (homeless) throw new Error(`message ${homeless.id} has no threadId: a message is kept in its thread`);
    const logs = await this.logs.threads(args.messages.map(({ threadId }) => threadId ?? ""));
    const { memory, db } = over(logs);
    const saved = await memory.saveMessages(args);
    await this.writeMessages(logs, db, args.messages.map(({ id }) => id));
    return saved;
  }

  async updateMessages(args: { messages: Updates }): Promise<MastraDBMessage[]> {
    const ids = args.messages.map(({ id }) => id);
    const targets = args.messages.map(({ threadId }) => threadId ?? "").filter(Boolean);
    const logs = [...new Set([...await this.logs.threads(targets), ...await this.logs.having([THREADS], ids, hasMessage)])];
    return this.logs.alone(logs, async () => {
      const { memory, db } = over(logs);
      const updated = await memory.updateMessages(args);
      await this.writeMessages(logs, db, ids);
      return updated;
    });
  }

  override async deleteMessages(messageIds: string[]): Promise<void> {
    const logs = await this.logs.having([THREADS], messageIds, hasMessage);
    const { memory, db } = over(logs);
    await memory.deleteMessages(messageIds);
    await this.writeMessages(logs, db, messageIds);
  }

  async listThreads(args: StorageListThreadsInput): Promise<StorageListThreadsOutput> {
    const { memory, db } = over([]);
    for await (const { thread } of this.logs.all(THREADS)) if (thread) db.threads.set(thread.id, thread);
    return memory.listThreads(args);
  }

  override async copyThread(args: StorageCloneThreadInput): Promise<StorageCopyThreadOutput> {
    const newThreadId = args.newThreadId || crypto.randomUUID();
    const [source, target] = [await this.logs.thread(args.sourceThreadId), await this.logs.thread(newThreadId)];
    const { memory, db } = over([source, target]);
    const copied = await memory.copyThread({ ...args, newThreadId });
    await this.logs.write(target, { thread: copied.thread, messages: [...db.messages].filter(([, row]) => row.thread_id === newThreadId) });
    return copied;
  }

  override async getResourceById({ resourceId }: { resourceId: string }): Promise<StorageResourceType | null> {
    return over([await this.logs.resource(resourceId)]).memory.getResourceById({ resourceId });
  }

  override async saveResource({ resource }: { resource: StorageResourceType }): Promise<StorageResourceType> {
    await this.logs.write(await this.logs.resource(resource.id), { resource });
    return resource;
  }

  override async updateResource(args: { resourceId: string; workingMemory?: string; metadata?: Record<string, unknown> }): Promise<StorageResourceType> {
    const rows = await this.logs.resource(args.resourceId);
    return this.logs.alone([rows], async () => {
      const resource = await over([rows]).memory.updateResource(args);
      await this.logs.write(rows, { resource });
      return resource;
    });
  }

  override async getObservationalMemory(threadId: string | null, resourceId: string): Promise<ObservationalMemoryRecord | null> {
    return over([await this.observed(threadId, resourceId)]).memory.getObservationalMemory(threadId, resourceId);
  }

  override async getObservationalMemoryHistory(threadId: string | null, resourceId: string, limit?: number, options?: ObservationalMemoryHistoryOptions): Promise<ObservationalMemoryRecord[]> {
    return over([await this.observed(threadId, resourceId)]).memory.getObservationalMemoryHistory(threadId, resourceId, limit, options);
  }

  override async initializeObservationalMemory(input: CreateObservationalMemoryInput): Promise<ObservationalMemoryRecord> {
    return this.observe(await this.observed(input.threadId, input.resourceId), (memory) => memory.initializeObservationalMemory(input));
  }

  override async insertObservationalMemoryRecord(record: ObservationalMemoryRecord): Promise<void> {
    await this.observe(await this.observed(record.threadId, record.resourceId), (memory) => memory.insertObservationalMemoryRecord(record));
  }

  override async createReflectionGeneration(input: CreateReflectionGenerationInput): Promise<ObservationalMemoryRecord> {
    const { threadId, resourceId } = input.currentRecord;
    return this.observe(await this.observed(threadId, resourceId), (memory) => memory.createReflectionGeneration(input));
  }

  override async swapBufferedReflectionToActive(input: SwapBufferedReflectionToActiveInput): Promise<ObservationalMemoryRecord> {
    const { threadId, resourceId } = input.currentRecord;
    return this.observe(await this.observed(threadId, resourceId), (memory) => memory.swapBufferedReflectionToActive(input));
  }

  override async clearObservationalMemory(threadId: string | null, resourceId: string): Promise<void> {
    await this.observe(await this.observed(threadId, resourceId), (memory) => memory.clearObservationalMemory(threadId, resourceId));
  }

  override async updateActiveObservations(input: UpdateActiveObservationsInput): Promise<void> {
    await this.observe(await this.recorded(input.id), (memory) => memory.updateActiveObservations(input));
  }

  override async updateBufferedObservations(input: UpdateBufferedObservationsInput): Promise<void> {
    await this.observe(await this.recorded(input.id), (memory) => memory.updateBufferedObservations(input));
  }

  override async swapBufferedToActive(input: SwapBufferedToActiveInput): Promise<SwapBufferedToActiveResult> {
    return this.observe(await this.recorded(input.id), (memory) => memory.swapBufferedToActive(input));
  }

  override async updateBufferedReflection(input: UpdateBufferedReflectionInput): Promise<void> {
    await this.observe(await this.recorded(input.id), (memory) => memory.updateBufferedReflection(input));
  }

  override async setReflectingFlag(id: string, isReflecting: boolean): Promise<void> {
    await this.observe(await this.recorded(id), (memory) => memory.setReflectingFlag(id, isReflecting));
  }

  override async setObservingFlag(id: string, isObserving: boolean): Promise<void> {
    await this.observe(await this.recorded(id), (memory) => memory.setObservingFlag(id, isObserving));
  }

  override async setBufferingObservationFlag(id: string, isBuffering: boolean, lastBufferedAtTokens?: number): Promise<void> {
    await this.observe(await this.recorded(id), (memory) => memory.setBufferingObservationFlag(id, isBuffering, lastBufferedAtTokens));
  }

  override async setBufferingReflectionFlag(id: string, isBuffering: boolean): Promise<void> {
    await this.observe(await this.recorded(id), (memory) => memory.setBufferingReflectionFlag(id, isBuffering));
  }

  override async setPendingMessageTokens(id: string, tokenCount: number): Promise<void> {
    await this.observe(await this.recorded(id), (memory) => memory.setPendingMessageTokens(id, tokenCount));
  }

  override async updateObservationalMemoryConfig(input: UpdateObservationalMemoryConfigInput): Promise<void> {
    await this.observe(await this.recorded(input.id), (memory) => memory.updateObservationalMemoryConfig(input));
  }

  /** Writes what a thread has now of these messages, to new threads first: a crash between two leaves a message twice, not never. */
  private async writeMessages(logs: Rows[], db: InMemoryDB, ids: string[]): Promise<void> {
    const changes = logs.map((rows) => {
      const messages = ids.flatMap((id): [string, ReturnType<typeof db.messages.get> | null][] => {
        const [before, row] = [rows.messages.get(id), db.messages.get(id)];
        const isHere = row && rows.conversation === nameOf(THREADS, row.thread_id);
        return isHere ? [[id, row]] : before ? [[id, null]] : [];
      });
      return { rows, messages: messages.map(([id, row]): [string, NonNullable<typeof row> | null] => [id, row ?? null]) };
    }).filter(({ messages }) => messages.length);
    changes.sort((one, other) => other.messages.filter(([, row]) => row).length - one.messages.filter(([, row]) => row).length);
    for (const { rows, messages } of changes) {
      const thread = rows.thread && db.threads.get(rows.thread.id);
      await this.logs.write(rows, { messages, ...(thread && { patch: { updatedAt: thread.updatedAt } }) });
    }
  }

  private included(include: Include): Promise<Rows[]> {
    return include?.length ? this.logs.having([THREADS], include.map(({ id }) => id), hasMessage) : Promise.resolve([]);
  }

  private observed(threadId: string | null, resourceId: string): Promise<Rows> {
    return threadId ? this.logs.thread(threadId) : this.logs.resource(resourceId);
  }

  private async recorded(id: string): Promise<Rows> {
    const [rows] = await this.logs.having([RESOURCES, THREADS], [id], hasObservation);
    if (!rows) throw new Error(`Observational memory record not found: ${id}`);
    return rows;
  }

  /** Changes the observations of a log. */
  private observe<T>(rows: Rows, change: (memory: InMemoryMemory) => Promise<T>): Promise<T> {
    return this.logs.alone([rows], async () => {
      const { memory, db } = over([rows]);
      const result = await change(memory);
      const keys = [...new Set([...rows.observations.keys(), ...db.observationalMemory.keys()])];
      await this.logs.write(rows, { observations: keys.map((key) => [key, db.observationalMemory.get(key) ?? null]) });
      return result;
    });
  }
}

function over(all: Rows[]): { memory: InMemoryMemory; db: InMemoryDB } {
  const db = databaseOf(new Set(all));
  return { memory: new InMemoryMemory({ db }), db };
}
