// Requests and answers as values: what is sent, what an answer means, when to send again. No input or output: client.ts sends.
import { AgentMemoryError, errorOf, OverQuota, Unavailable, Unreachable } from "./errors.js";

export const KEY = "Idempotency-Key";
type Values = Record<string, unknown>;

/**
 * A request, and by its type what the answer is. Entries of `query`, `headers` and `body` that are undefined are left out;
 * `whole` is a body as it is. `repeats`: it may be sent again after a lost answer. `rows`: where a page has its rows.
 */
export interface Call<T> {
  method: string;
  path: string;
  query?: Values;
  headers?: Values;
  body?: Values;
  whole?: unknown;
  repeats?: boolean;
  rows?: string;
  /** Never there: the type of the answer. */
  answer?: T;
}

/** As it is sent first: with an Idempotency-Key if the route takes one, so that it may be sent again. */
export function ready<T>(call: Call<T>): Call<T> {
  if (!call.headers || !(KEY in call.headers)) return call;
  return { ...call, headers: { ...call.headers, [KEY]: call.headers[KEY] ?? crypto.randomUUID() }, repeats: true };
}

export function after<T>(call: Call<T>, cursor: unknown): Call<T> {
  return { ...call, query: { ...call.query, cursor } };
}

export function quote(text: string | number): string {
  return encodeURIComponent(String(text).toWellFormed());
}

export function address(base: string, call: Call<unknown>): string {
  const query = given(call.query).map(([name, value]) => `${quote(name)}=${quote(value)}`).join("&");
  return base + call.path + (query ? `?${query}` : "");
}

export function given(values: Values = {}): [string, string][] {
  return Object.entries(values).filter(([, value]) => value !== undefined && value !== null).map(([name, value]) => [name, String(value)]);
}

export function content(call: Call<unknown>): string | undefined {
  const body = "whole" in call ? call.whole : call.body;
  return body === undefined ? undefined : JSON.stringify(body, plain);
}

/** JSON has no NaN and no Infinity: rather an error here than another value there. */
function plain(name: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`${name || "the value"} is ${value}, which JSON does not have`);
  return value;
}

export interface Answer {
  status: number;
  headers: Headers;
  content: Uint8Array;
}

/** The decoded body; throws the exception of an answer that is no success. */
export function valueOf(answer: Answer): unknown {
  let body: unknown;
  if (answer.content.length) {
    const text = new TextDecoder().decode(answer.content);
    body = answer.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text;
  }
  if (answer.status < 200 || answer.status > 299) throw errorOf(answer.status, body, answer.headers);
  return body;
}

/** → the rows of a page, and the call of the next one. */
export function rowsOf<T>(call: Call<T>, answer: Answer): { rows: unknown[]; next: Call<T> | undefined } {
  const value = valueOf(answer) as never;
  const cursor = answer.headers.get("x-next-cursor") ?? (call.rows && call.rows !== "*" ? value["next_cursor"] : undefined);
  const rows: unknown[] = call.rows === "*" ? Object.entries(value) : call.rows ? value[call.rows] : value;
  return { rows, next: cursor ? after(call, cursor) : undefined };
}

/**
 * How often and how long: `attempts` in all; a pause doubles from `firstMs` to `longestMs`, of which a random part is used. A
 * server's Retry-After is a lower limit, up to `longestMs`.
 */
export class Retries {
  attempts = 4;
  firstMs = 100;
  longestMs = 5000;
  chance: () => number = Math.random;

  constructor(settings: Partial<Pick<Retries, "attempts" | "firstMs" | "longestMs" | "chance">> = {}) {
    Object.assign(this, settings);
  }

  /** → milliseconds until the next attempt after the `attempt`th, or undefined: the error stands. `sent`: the request may have
   * reached the server. */
  pause(call: Call<unknown>, attempt: number, error: AgentMemoryError, sent: boolean): number | undefined {
    const refused = (error instanceof Unavailable || error instanceof OverQuota) && error.status !== 0;
    const lost = error instanceof Unreachable && (call.repeats || !sent);
    if (attempt >= this.attempts || (!refused && !lost)) return undefined;
    const pause = Math.min(this.longestMs, this.firstMs * 2 ** (attempt - 1)) * (0.5 + this.chance() / 2);
    return Math.min(this.longestMs, Math.max(pause, (error.retryAfter ?? 0) * 1000));
  }
}
