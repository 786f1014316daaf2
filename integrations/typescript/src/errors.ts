// What a call throws: an exception for each code of the server, with its message and what to do.

export interface ErrorFields {
  code?: string;
  status?: number;
  requestId?: string;
  retryAfter?: number | undefined;
  remedy?: string;
  cause?: unknown;
}

/** `code` and `reason` are the server's, `remedy` says what to do, `message` is all three; `status` is 0 if there was no answer. */
export class AgentMemoryError extends Error {
  static remedy = "see the message";
  readonly reason: string;
  readonly code: string;
  readonly status: number;
  readonly requestId: string;
  readonly retryAfter: number | undefined; // seconds
  readonly remedy: string;

  constructor(reason: string, fields: ErrorFields = {}) {
    const remedy = fields.remedy || new.target.remedy;
    const place = [fields.code, fields.status].filter(Boolean).join(" ");
    super(place ? `${reason} [${place}] — ${remedy}` : `${reason} — ${remedy}`, { cause: fields.cause });
    this.name = new.target.name;
    this.reason = reason;
    this.code = fields.code ?? "";
    this.status = fields.status ?? 0;
    this.requestId = fields.requestId ?? "";
    this.retryAfter = fields.retryAfter;
    this.remedy = remedy;
  }
}

export class Invalid extends AgentMemoryError {
  static override remedy = "change the field that the message names";
}
export class Unauthenticated extends AgentMemoryError {
  static override remedy = "give token or tokenFile a valid token of a ServiceAccount for this server";
}
export class Denied extends AgentMemoryError {
  static override remedy = "ask whoever owns the Agent or the namespace for the right, or leave this call out";
}
export class Misdirected extends Denied {
  static override remedy = "use a name of the server that it knows, such as 127.0.0.1";
}
export class NotFound extends AgentMemoryError {
  static override remedy = "it does not exist, is deleted, has expired, or belongs to another caller";
}
export class Conflict extends AgentMemoryError {
  static override remedy = "read what is there, then decide";
}
export class PreconditionFailed extends Conflict {
  static override remedy = "another writer was first: read again, then repeat the change";
}
export class KeyReused extends Conflict {
  static override remedy = "use a new Idempotency-Key for another body";
}
export class TooLarge extends AgentMemoryError {
  static override remedy = "send less, or in parts";
}
export class OverQuota extends AgentMemoryError {
  static override remedy = "retry after retryAfter seconds";
}
export class Unavailable extends AgentMemoryError {
  static override remedy = "retry later; nothing was stored";
}
export class Full extends AgentMemoryError {
  static override remedy = "delete something, or raise the quota or the volume that the message names";
}
export class Unreachable extends AgentMemoryError {
  static override remedy = "check the address and that the server or sidecar runs (agent-memory status)";
}
/** What was read is not what was stored. */
export class Damaged extends AgentMemoryError {
  static override remedy = "continue from an earlier state";
}

type Kind = typeof AgentMemoryError;
const BY_CODE: Record<string, Kind> = {
  invalid: Invalid, unauthenticated: Unauthenticated, denied: Denied, misdirected: Misdirected, not_found: NotFound, conflict: Conflict,
  precondition_failed: PreconditionFailed, too_large: TooLarge, idempotency_key_reused: KeyReused, over_quota: OverQuota,
  unavailable: Unavailable, full: Full,
};
const BY_STATUS: Record<number, Kind> = {
  400: Invalid, 401: Unauthenticated, 403: Denied, 404: NotFound, 405: NotFound, 409: Conflict, 412: PreconditionFailed, 413: TooLarge,
  415: Invalid, 421: Misdirected, 422: KeyReused, 429: OverQuota, 503: Unavailable, 507: Full,
};

/** The exception of an answer that is no success. */
export function errorOf(status: number, body: unknown, headers: Headers): AgentMemoryError {
  const told = (typeof body === "object" && body !== null ? body : {}) as { code?: unknown; error?: unknown };
  const code = String(told.code ?? "");
  const kind = (Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined) ?? BY_STATUS[status] ?? AgentMemoryError;
  const after = Number.parseFloat(headers.get("retry-after") ?? "");
  return new kind(String(told.error || `the answer has status ${status}`), {
    code, status, requestId: headers.get("x-request-id") ?? "", retryAfter: Number.isFinite(after) ? after : undefined,
  });
}
