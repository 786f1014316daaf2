// Client: the transport over wire.ts, on the platform's fetch. The methods of the routes are generated (methods.ts).
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { addressOf } from "./address.js";
import { Conversation } from "./conversation.js";
import { AgentMemoryError, Unreachable } from "./errors.js";
import { Methods } from "./methods.js";
import type { ImportReport } from "./models.js";
import { address, type Answer, type Call, content, given, ready, Retries, rowsOf, valueOf } from "./wire.js";

// A sidecar takes 64 connections; more calls at once wait for one.
const AT_ONCE = 32;
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

export interface ClientOptions {
  /** Without it AGENT_MEMORY_URL, else what `agent-memory url` prints, which starts memory on this machine. */
  url?: string | undefined;
  /** Without it AGENT_MEMORY_TOKEN. */
  token?: string | undefined;
  /** Read for each request, since Kubernetes renews tokens. */
  tokenFile?: string | undefined;
  /** `user` and `agent` own traces of a server without a sidecar (X-Memory-User, X-Memory-Agent). */
  user?: string | undefined;
  agent?: string | undefined;
  timeoutMs?: number | undefined;
  retries?: Retries | undefined;
  fetch?: typeof fetch | undefined;
}

/** What to export or import; `format` is one of the server's. */
export interface TransferFields {
  project?: string;
  format?: string;
  [more: string]: unknown;
}

export type Bytes = Uint8Array | string | AsyncIterable<Uint8Array>;

/** Memory over HTTP. One object for many calls at once. */
export class Client extends Methods {
  readonly retries: Retries;
  private readonly fetch: typeof fetch;
  private url: Promise<string> | undefined;
  private free = AT_ONCE;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly options: ClientOptions = {}) {
    super();
    this.retries = options.retries ?? new Retries();
    this.fetch = options.fetch ?? globalThis.fetch;
  }

  /** Sends one call, again where that is safe → its answer; throws AgentMemoryError. */
  async call<T>(call: Call<T>): Promise<T> {
    return valueOf(await this.answer(ready(call))) as T;
  }

  /** The same with the headers of the answer. */
  async callWithHeaders<T>(call: Call<T>): Promise<[T, Headers]> {
    const answer = await this.answer(ready(call));
    return [valueOf(answer) as T, answer.headers];
  }

  async *pages<T>(call: Call<unknown>): AsyncGenerator<T> {
    for (let following: Call<unknown> | undefined = call; following; ) {
      const page: ReturnType<typeof rowsOf<unknown>> = rowsOf(following, await this.answer(following));
      yield* page.rows as T[];
      following = page.next;
    }
  }

  /** All of a project, or of the caller, in pieces as they arrive. An export that breaks off throws Unreachable. */
  async *export(fields: TransferFields = {}): AsyncGenerator<Uint8Array> {
    const call: Call<unknown> = { method: "GET", path: "/export", query: fields };
    try {
      const response = await this.request(call, {});
      if (response.status !== 200) valueOf(await read(response));
      if (response.body) yield* response.body as unknown as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw error instanceof AgentMemoryError ? error : await this.lost(call, error);
    }
  }

  /** Takes in an export of this or another program; to repeat it changes nothing. */
  async import(bytes: Bytes, fields: TransferFields & { contentType?: string } = {}): Promise<ImportReport> {
    const { contentType = "application/octet-stream", ...query } = fields;
    const call: Call<ImportReport> = { method: "POST", path: "/import", query, headers: { "Content-Type": contentType } };
    const streams = typeof bytes !== "string" && !(bytes instanceof Uint8Array);
    const body = (streams ? ReadableStream.from(bytes) : bytes) as NonNullable<RequestInit["body"]>;
    try {
      return valueOf(await read(await this.request(call, { body, ...(streams ? { duplex: "half" } : {}) }))) as ImportReport;
    } catch (error) {
      throw error instanceof AgentMemoryError ? error : await this.lost(call, error);
    }
  }

  /** The steps of an agent's loop, through a sidecar. `fields` go with each event, such as cwd. */
  conversation(id: string = crypto.randomUUID(), fields: Record<string, unknown> = {}): Conversation {
    return new Conversation(this, id, fields);
  }

  private async answer(call: Call<unknown>): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      let error: AgentMemoryError;
      let sent = true;
      try {
        const answer = await this.inTurn(() => this.exchange(call));
        if (answer.status >= 200 && answer.status < 300) return answer;
        valueOf(answer);
        throw new Error("unreachable");
      } catch (failure) {
        if (!isFailure(failure)) throw failure;
        sent = !NOT_SENT.has(codeOf(failure));
        error = failure instanceof AgentMemoryError ? failure : await this.lost(call, failure);
      }
      const pause = this.retries.pause(call, attempt, error, sent);
      if (pause === undefined) throw error;
      await sleep(pause);
    }
  }

  private async exchange(call: Call<unknown>): Promise<Answer> {
    const body = content(call);
    const signal = AbortSignal.timeout(this.options.timeoutMs ?? 60_000);
    return read(await this.request(body === undefined ? call : { ...call, headers: { "Content-Type": "application/json", ...call.headers } },
      { signal, ...(body === undefined ? {} : { body }) }));
  }

  private async request(call: Call<unknown>, more: RequestInit): Promise<Response> {
    const base = await this.base();
    const token = this.options.tokenFile ? (await readFile(this.options.tokenFile, "utf8")).trim()
      : this.options.token ?? process.env["AGENT_MEMORY_TOKEN"];
    const headers = { "X-Memory-User": this.options.user, "X-Memory-Agent": this.options.agent,
      Authorization: token ? `Bearer ${token}` : undefined, ...Object.fromEntries(given(call.headers)) };
    return this.fetch(address(base, call), { method: call.method, headers: given(headers), redirect: "manual", ...more });
  }

  private base(): Promise<string> {
    this.url ??= addressOf(this.options.url).catch((error: unknown) => {
      this.url = undefined;
      throw error;
    });
    return this.url;
  }

  private async lost(call: Call<unknown>, error: unknown): Promise<Unreachable> {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const what = cause instanceof Error ? `${codeOf(error) || cause.name}: ${cause.message}` : String(cause);
    return new Unreachable(`${call.method} ${await this.base()}${call.path}: ${what}`, { cause: error });
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }
}

async function read(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, content: new Uint8Array(await response.arrayBuffer()) };
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === "string" ? cause.code : "";
}

/** Of the connection or of the server, and not of the arguments: fetch says TypeError for both, with a cause for the first. */
function isFailure(error: unknown): boolean {
  return error instanceof AgentMemoryError || (error instanceof Error && (error.name === "TimeoutError" || error.cause !== undefined || error.message === "terminated"));
}
