// KnowledgeGraph: a graph in the memory server or a sidecar. The log of a conversation keeps it as it is; each observation and
// relation is a memory, too, so that searches and prompts have it.
import { createHash } from "node:crypto";

import { Client, type ClientOptions } from "../client.js";
import { NotFound } from "../errors.js";
import { appendTo, conversationNamed, readLog } from "../record_log.js";
import { type Change, type Entity, type Graph, GraphLog, keyOf, type Relation } from "./graph.js";


export interface GraphOptions extends ClientOptions {
  /** Graphs of different names have nothing in common. Without it "default". */
  graph?: string;
  /** Where the memories stand; through a sidecar its own project. Without it "default". */
  project?: string;
}

/** A row beside the graph; its topic is its identity. Memories of one `about` are a session: in it a retelling is only counted. */
interface Memory {
  topic: string;
  about: string;
  type: "fact" | "relation";
  title: string;
  content: string;
  tags: string[];
}

export class KnowledgeGraph {
  private readonly client: Client;
  private readonly graph: string;
  private readonly project: string;
  private readonly log = new GraphLog();

  constructor(options: GraphOptions = {}) {
    const { graph = "default", project = "default", ...client } = options;
    [this.client, this.graph, this.project] = [new Client(client), graph, project];
  }

  /** → those that are new; a name that is there stays as it is. */
  async createEntities(given: Entity[]): Promise<Entity[]> {
    await this.read();
    const fresh = [...new Map(given.toReversed().map((entity) => [entity.name, entity])).values()].toReversed().filter(({ name }) => !this.log.entities.has(name));
    await this.write({ create: fresh }, fresh.flatMap(memoriesOf), []);
    return fresh;
  }

  async createRelations(given: Relation[]): Promise<Relation[]> {
    await this.read();
    const fresh = [...new Map(given.map((relation) => [keyOf(relation), relation])).values()].filter((relation) => !this.log.relations.has(keyOf(relation)));
    await this.write({ relate: fresh }, fresh.map(relationMemory), []);
    return fresh;
  }

  /** All or nothing: an entity that is not there refuses all. */
  async addObservations(given: { entityName: string; contents: string[] }[]): Promise<{ entityName: string; addedObservations: string[] }[]> {
    await this.read();
    const missing = given.find(({ entityName }) => !this.log.entities.has(entityName));
    if (missing) throw new Error(`Entity with name ${missing.entityName} not found`);
    const known = new Map(given.map(({ entityName }) => [entityName, new Set(this.log.entities.get(entityName)?.observations)]));
    const isNew = (name: string, text: string) => !known.get(name)?.has(text) && known.get(name)?.add(text);
    const add = given.map(({ entityName, contents }) => ({ entityName, contents: contents.filter((text) => isNew(entityName, text)) }));
    const facts = add.flatMap(({ entityName, contents }) => contents.map((text) => factOf(entityName, this.log.entities.get(entityName)?.entityType ?? "", text)));
    await this.write({ add }, facts, []);
    return add.map(({ entityName, contents }) => ({ entityName, addedObservations: contents }));
  }

  async deleteEntities(names: string[]): Promise<void> {
    const { entities, relations } = await this.openNodes(names);
    await this.write({ deleteEntities: names }, [], [...entities.flatMap(memoriesOf), ...relations.map(relationMemory)]);
  }

  async deleteObservations(given: { entityName: string; observations: string[] }[]): Promise<void> {
    await this.read();
    await this.write({ deleteObservations: given }, [], given.flatMap(({ entityName, observations }) => observations.map((text) => factOf(entityName, "", text))));
  }

  async deleteRelations(given: Relation[]): Promise<void> {
    await this.read();
    await this.write({ deleteRelations: given }, [], given.map(relationMemory));
  }

  async readGraph(): Promise<Graph> {
    await this.read();
    return this.log.part();
  }

  /** The text stands in a name, a type or an observation, in capitals or not. */
  async searchNodes(query: string): Promise<Graph> {
    await this.read();
    const wanted = query.toLowerCase();
    return this.log.part(({ name, entityType, observations }) => [name, entityType, ...observations].some((text) => text.toLowerCase().includes(wanted)));
  }

  async openNodes(names: string[]): Promise<Graph> {
    await this.read();
    return this.log.part(({ name }) => names.includes(name));
  }

  private get conversation(): string {
    return conversationNamed("mcp-memory:", this.graph);
  }

  private read(): Promise<boolean> {
    return readLog(this.client, this.log, this.conversation);
  }

  /**
   * Memories first, then the graph, then what is gone: after a crash a memory may be there that the graph does not have, never the
   * other way around. The same call again repairs it.
   */
  private async write(change: Change, made: Memory[], gone: Memory[]): Promise<void> {
    if (!Object.values(change).some((parts: unknown[]) => parts.length)) return;
    await Promise.all(made.filter(({ content }) => content.trim()).map((memory) => this.save(memory)));
    await appendTo(this.client, this.log, this.conversation, Buffer.from(JSON.stringify(change)));
    await this.forget(new Set(gone.map(({ topic }) => this.topicOf(topic))));
  }

  private async save({ topic, about, type, title, content, tags }: Memory): Promise<void> {
    await this.client.saveObservation({
      source: { tool: "mcp-memory", origin: "agent" }, session_id: conversationNamed(`${this.conversation.slice(0, 100)}:`, about), topic_key: this.topicOf(topic), project: this.project, type, content,
      title: [...title].slice(0, 500).join(""), tags: tags.filter((tag) => tag.trim()).map((tag) => [...tag].slice(0, 100).join("")),
    });
  }

  private async forget(topics: Set<string>): Promise<void> {
    for (const type of topics.size ? (["fact", "relation"] as const) : []) {
      const found = [];
      for await (const row of this.client.iterObservations({ project: this.project, type, limit: 1000 })) if (topics.has(row.topic_key)) found.push(row.id);
      await Promise.all(found.map((id) => this.client.deleteObservation(id).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error;
      })));
    }
  }

  private topicOf(topic: string): string {
    return `mcp-memory:${createHash("sha256").update(JSON.stringify([this.graph, topic])).digest("hex").slice(0, 40)}`;
  }
}

/** An entity without observations is a memory, too: that it is there. */
function memoriesOf({ name, entityType, observations }: Entity): Memory[] {
  if (observations.length) return observations.map((text) => factOf(name, entityType, text));
  return [factOf(name, entityType, `${name}${entityType && ` (${entityType})`}`)];
}

function factOf(name: string, entityType: string, text: string): Memory {
  return { topic: JSON.stringify([name, text]), about: name, type: "fact", title: name, content: text, tags: [name, entityType] };
}

function relationMemory(relation: Relation): Memory {
  const text = `${relation.from} ${relation.relationType} ${relation.to}`;
  return { topic: keyOf(relation), about: relation.from, type: "relation", title: text, content: text, tags: [relation.from, relation.to] };
}
