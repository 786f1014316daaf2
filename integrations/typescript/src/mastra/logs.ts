// Reads and writes the logs of threads and resources over the routes of conversations.
import type { Client } from "../client.js";
import { appendTo, deleteLog, readLog } from "../record_log.js";
import { written } from "./json.js";
import { type Change, type Kind, nameOf, RESOURCES, Rows, THREADS } from "./rows.js";

const KEPT = 256;
const AT_ONCE = 16;

export class Logs {
  private readonly kept = new Map<string, Rows>();

  constructor(private readonly client: Client) {}

  private rowsOf(conversation: string): Rows {
    const rows = this.kept.get(conversation) ?? new Rows(conversation);
    this.kept.delete(conversation);
    this.kept.set(conversation, rows);
    if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value as string);
    return rows;
  }

  /** → as they are stored now; reads only what was added since the last time. */
  private async read(conversation: string): Promise<Rows> {
    const rows = this.rowsOf(conversation);
    await readLog(this.client, rows, conversation);
    return rows;
  }

  thread(id: string): Promise<Rows> {
    return this.read(nameOf(THREADS, id));
  }

  threads(ids: Iterable<string>): Promise<Rows[]> {
    return Promise.all([...new Set(ids)].map((id) => this.thread(id)));
  }

  resource(id: string): Promise<Rows> {
    return this.read(nameOf(RESOURCES, id));
  }

  /** All of the caller. There is no list of conversations by the beginning of their ids, so this reads all ids. */
  async *all(kind: Kind): AsyncGenerator<Rows> {
    const names: string[] = [];
    for await (const { id } of this.client.iterConversations({ limit: 1000 })) if (id.startsWith(kind)) names.push(id);
    while (names.length) yield* await Promise.all(names.splice(0, AT_ONCE).map((name) => this.read(name)));
  }

  /** Those that have one of `ids`: first where they were found before, then in all of each kind. */
  async having(kinds: Kind[], ids: Iterable<string>, has: (rows: Rows, id: string) => boolean): Promise<Rows[]> {
    const [left, found] = [new Set(ids), new Set<Rows>()];
    const look = (rows: Rows) => {
      for (const id of left) {
        if (!has(rows, id)) continue;
        found.add(rows);
        left.delete(id);
      }
    };
    const likely = [...this.kept.values()].filter((rows) => kinds.some((kind) => rows.conversation.startsWith(kind)) && [...left].some((id) => has(rows, id)));
    for (const rows of likely) look(await this.read(rows.conversation));
    for (const kind of left.size ? kinds : []) {
      for await (const rows of this.all(kind)) {
        look(rows);
        if (!left.size) return [...found];
      }
    }
    return [...found];
  }

  /** Changes of what was read, one after another in this process. */
  alone<T>(logs: Rows[], change: () => Promise<T>): Promise<T> {
    const turn = Promise.all(logs.map(({ busy }) => busy)).then(async () => {
      await Promise.all(logs.map((rows) => readLog(this.client, rows, rows.conversation)));
      return change();
    });
    for (const rows of logs) rows.busy = turn.catch(() => undefined);
    return turn;
  }

  /** One commit. */
  async write(rows: Rows, change: Change): Promise<void> {
    await appendTo(this.client, rows, rows.conversation, written(change));
  }

  async delete(rows: Rows): Promise<void> {
    await deleteLog(this.client, rows, rows.conversation, () => rows.hasRows(), written({ cleared: true } satisfies Change));
  }
}
