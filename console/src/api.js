// Calls of the API by the table of its routes. Errors are of one kind, with what the server said and what to do next.
import { signal } from "@preact/signals";

const WAIT_MS = 30_000;

export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
  // The next step of who reads it; the server's own message has the cause.
  get remedy() {
    if (this.status === 0) return "Check that the server runs, then try again.";
    if (this.status === 401) return "Sign in above; what you wrote stays here.";
    if (this.status === 403) return "Ask who administers this memory for the right, or sign in as somebody else.";
    if (this.status === 404) return "It may be deleted, or belong to another namespace. Go back to the list.";
    if (this.status === 429 || this.status === 503) return "Wait a moment, then try again.";
    if (this.status === 507) return "Delete memories, or raise the quota, then try again.";
    return "Change the request and try again.";
  }
}

export const facts = signal({ auth: "none", everybody: false });
export const signedOut = signal(false);  // the server has just said so

// `operation`: of operations.js. → { body, next, partial }: the answer, the cursor of the next page, whether it was cut.
export async function call([method, path, known], { at = {}, query = {}, body, match, signal: stop } = {}) {
  const target = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(at[name]));
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (!known.includes(name)) throw new Error(`${method} ${path} has no parameter ${name}`);
    if (value !== "" && value != null) words.set(name, value);
  }
  const headers = {};
  if (method !== "GET" && method !== "DELETE") headers["Content-Type"] = "application/json";
  if (match != null) headers["If-Match"] = `"${match}"`;
  const limits = [AbortSignal.timeout(WAIT_MS), ...(stop ? [stop] : [])];
  const answer = await fetch(target + (words.size ? "?" + words : ""), {
    method, headers, body: method === "GET" || method === "DELETE" ? undefined : JSON.stringify(body ?? {}),
    credentials: "same-origin", cache: "no-store", redirect: "error", signal: AbortSignal.any(limits),
  }).catch((error) => {
    if (stop?.aborted) throw error;
    throw new ApiError(0, "unreachable", "The server does not answer.");
  });
  const text = await answer.text();
  let read = null;
  try {
    read = text ? JSON.parse(text) : null;
  } catch {
    if (answer.ok) throw new ApiError(0, "unreadable", "The server's answer was cut off.");
  }
  if (answer.status === 401) signedOut.value = true;
  if (!answer.ok) throw new ApiError(answer.status, read?.code ?? "", read?.error ?? `The server answered ${answer.status}.`);
  return { body: read, next: answer.headers.get("X-Next-Cursor"), partial: answer.headers.get("X-Partial") === "true" };
}

export async function loadFacts() {
  const answer = await fetch("/ui/facts", { cache: "no-store" }).catch(() => null);
  if (answer?.ok) facts.value = await answer.json();
}
