// A knowledge graph of entities and relations as the records of its changes say it. Pure.
import { Log } from "../record_log.js";

export interface Entity {
  name: string;
  entityType: string;
  observations: string[];
}

export interface Relation {
  from: string;
  to: string;
  relationType: string;
}

export interface Graph {
  entities: Entity[];
  relations: Relation[];
}

/** What a tool was asked for. Applied again it changes nothing, so that of two writers at once none undoes the other. */
export interface Change {
  create?: Entity[];
  relate?: Relation[];
  add?: { entityName: string; contents: string[] }[];
  deleteEntities?: string[];
  deleteObservations?: { entityName: string; observations: string[] }[];
  deleteRelations?: Relation[];
}

export class GraphLog extends Log {
  readonly entities = new Map<string, { entityType: string; observations: Set<string> }>();
  readonly relations = new Map<string, Relation>();

  protected clear(): void {
    this.entities.clear();
    this.relations.clear();
  }

  protected apply(content: Uint8Array): void {
    const change = JSON.parse(Buffer.from(content).toString()) as Change;
    for (const { name, entityType, observations } of change.create ?? []) {
      if (!this.entities.has(name)) this.entities.set(name, { entityType, observations: new Set(observations) });
    }
    for (const relation of change.relate ?? []) {
      if (!this.relations.has(keyOf(relation))) this.relations.set(keyOf(relation), relation);
    }
    for (const { entityName, contents } of change.add ?? []) {
      for (const text of contents) this.entities.get(entityName)?.observations.add(text);
    }
    for (const { entityName, observations } of change.deleteObservations ?? []) {
      for (const text of observations) this.entities.get(entityName)?.observations.delete(text);
    }
    for (const relation of change.deleteRelations ?? []) this.relations.delete(keyOf(relation));
    const gone = new Set(change.deleteEntities);
    for (const name of gone) this.entities.delete(name);
    for (const [key, { from, to }] of gone.size ? this.relations : []) if (gone.has(from) || gone.has(to)) this.relations.delete(key);
  }

  /** The entities that are wanted, and the relations from or to them. */
  part(wanted: (entity: Entity) => boolean = () => true): Graph {
    const all = [...this.entities].map(([name, { entityType, observations }]): Entity => ({ name, entityType, observations: [...observations] }));
    const entities = all.filter(wanted);
    if (entities.length === all.length) return { entities, relations: [...this.relations.values()] };
    const names = new Set(entities.map(({ name }) => name));
    return { entities, relations: [...this.relations.values()].filter(({ from, to }) => names.has(from) || names.has(to)) };
  }
}

export function keyOf({ from, to, relationType }: Relation): string {
  return JSON.stringify([from, relationType, to]);
}
