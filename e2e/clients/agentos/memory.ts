// The memory of an agent, written from the page "Memory Operations" of AgentOS: six tools, rehydrate_memory and auto-ingest
// of turns, with the names, parameters, defaults and outputs of the page, over the routes of the memory server. Tools drop
// other fields of the server's answers. The checks are in checks.ts.

export type TraceType = 'episodic' | 'semantic' | 'procedural' | 'prospective';
export type Scope = 'thread' | 'user' | 'persona' | 'organization';

export interface Added { traceId: string }
export interface Updated { updated: boolean }
export interface Deleted { deleted: boolean }
export interface Merged { mergedTraceId: string; sourcesDeleted: number }
export interface Found { id: string; content: string; type: TraceType; scope: Scope; strength: number; tags: string[] }
export interface Results { results: Found[] }
export interface Reflected { pruned: number; merged: number; derived: number; compacted: number; durationMs: number }
export interface Rehydrated { verbatimContent: string | null; archivedAt: number | null }

// The owner of the memory: the user, the persona and the thread of the scopes.
export interface ExecutionContext { user?: string; persona?: string; thread?: string }

export interface AutoIngest { enabled?: boolean; importanceThreshold?: number; maxPerTurn?: number }
export interface AgentConfig { storage?: { autoIngest?: AutoIngest }; personality?: Record<string, number> }
export interface Decision { category: string; importance: number; threshold: number; decision: string; traceId: string | null }

export interface Parameter { type: 'string' | 'number' | 'string[]'; required?: true; choices?: readonly string[] }
export interface ITool<Output = unknown> {
  name: string;
  category: 'memory';
  sideEffects: 'Write' | 'Read-only';
  parameters: Record<string, Parameter>;
  execute(input: Record<string, unknown>): Promise<Output>;
}

export class MemoryError extends Error {
  constructor(readonly status: number, readonly code: string, message: string) { super(message); }
}

const TYPES = ['episodic', 'semantic', 'procedural', 'prospective'] as const;
const SCOPES = ['thread', 'user', 'persona', 'organization'] as const;
const text: Parameter = { type: 'string' };
const needed: Parameter = { type: 'string', required: true };

// Returns a field of an answer; throws if it is missing or not of the page's type.
function field<T>(answer: Record<string, unknown>, name: string, good: (value: unknown) => boolean): T {
  if (!good(answer[name])) throw new MemoryError(200, 'shape', `${name} is ${JSON.stringify(answer[name])}`);
  return answer[name] as T;
}
const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const isFlag = (value: unknown) => typeof value === 'boolean';
const orNull = (good: (value: unknown) => boolean) => (value: unknown) => value === null || good(value);

function foundOf(row: Record<string, unknown>): Found {
  return {
    id: field(row, 'id', isText), content: field(row, 'content', isText),
    type: field(row, 'type', value => TYPES.includes(value as TraceType)),
    scope: field(row, 'scope', value => SCOPES.includes(value as Scope)),
    strength: field(row, 'strength', isNumber), tags: field(row, 'tags', Array.isArray),
  };
}

export class Memory {
  constructor(readonly url: string, readonly context: ExecutionContext = {}, readonly token?: string) {}

  // Calls any route; throws a MemoryError for a status of 400 and more.
  async ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (this.context.user) headers['X-Memory-User'] = this.context.user;
    if (this.context.persona) headers['X-Memory-Agent'] = this.context.persona;
    const target = new URL(path, this.url);
    if (this.context.thread) target.searchParams.set('conversation', this.context.thread);
    const answer = await fetch(target, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const said = await answer.text();
    const json = (said ? JSON.parse(said) : {}) as Record<string, unknown>;
    if (answer.status >= 400) throw new MemoryError(answer.status, String(json.code), String(json.error));
    return json;
  }

  createTools(options: { includeReflect?: boolean; includeRehydrate?: boolean } = {}): ITool[] {
    const trace = (input: Record<string, unknown>) => '/traces/' + encodeURIComponent(String(input.traceId));
    const tools: ITool[] = [{
      name: 'memory_add', category: 'memory', sideEffects: 'Write',
      parameters: { content: needed, type: { type: 'string', choices: TYPES }, scope: { type: 'string', choices: SCOPES }, tags: { type: 'string[]' } },
      execute: async (input): Promise<Added> => ({ traceId: field(await this.ask('POST', '/traces', input), 'traceId', isText) }),
    }, {
      name: 'memory_update', category: 'memory', sideEffects: 'Write',
      parameters: { traceId: needed, content: text, tags: { type: 'string[]' } },
      execute: async (input): Promise<Updated> => ({ updated: field(await this.ask('PATCH', trace(input), input), 'updated', isFlag) }),
    }, {
      name: 'memory_delete', category: 'memory', sideEffects: 'Write', parameters: { traceId: needed },
      execute: async (input): Promise<Deleted> => ({ deleted: field(await this.ask('DELETE', trace(input)), 'deleted', isFlag) }),
    }, {
      name: 'memory_merge', category: 'memory', sideEffects: 'Write',
      parameters: { traceIds: { type: 'string[]', required: true }, content: text },
      execute: async (input): Promise<Merged> => {
        const answer = await this.ask('POST', '/traces/merge', input);
        return { mergedTraceId: field(answer, 'mergedTraceId', isText), sourcesDeleted: field(answer, 'sourcesDeleted', isNumber) };
      },
    }, {
      name: 'memory_search', category: 'memory', sideEffects: 'Read-only',
      parameters: { query: needed, type: { type: 'string', choices: TYPES }, scope: { type: 'string', choices: SCOPES }, limit: { type: 'number' } },
      execute: async (input): Promise<Results> => {
        const rows = field<Record<string, unknown>[]>(await this.ask('POST', '/traces/search', input), 'results', Array.isArray);
        return { results: rows.map(foundOf) };
      },
    }];
    if (options.includeReflect ?? true) tools.push({
      name: 'memory_reflect', category: 'memory', sideEffects: 'Write', parameters: { topic: text },
      execute: async (input): Promise<Reflected> => {
        const answer = await this.ask('POST', '/traces/reflect', input);
        const count = (name: string) => field<number>(answer, name, isNumber);
        return { pruned: count('pruned'), merged: count('merged'), derived: count('derived'), compacted: count('compacted'), durationMs: count('durationMs') };
      },
    });
    if (options.includeRehydrate) tools.push({
      name: 'rehydrate_memory', category: 'memory', sideEffects: 'Write', parameters: { traceId: needed },
      execute: async (input): Promise<Rehydrated> => {
        const answer = await this.ask('GET', trace(input) + '/original');
        return { verbatimContent: field(answer, 'verbatimContent', orNull(isText)), archivedAt: field(answer, 'archivedAt', orNull(isNumber)) };
      },
    });
    return tools;
  }

  // Calls a tool like a model, by name and with its required parameters.
  async call<Output>(name: string, input: Record<string, unknown> = {}): Promise<Output> {
    const tool = this.createTools({ includeRehydrate: true }).find(each => each.name === name);
    if (!tool) throw new MemoryError(0, 'unknown', `there is no tool ${name}`);
    for (const [parameter, { required }] of Object.entries(tool.parameters))
      if (required && input[parameter] === undefined) throw new MemoryError(0, 'invalid', `${name} needs ${parameter}`);
    return await tool.execute(input) as Output;
  }

  // The hook after a turn, which does not wait for the facts. → the id of the turn.
  async afterTurn(user: string, assistant: string, config: AgentConfig = {}): Promise<string> {
    return field(await this.ask('POST', '/ingest/turns', { user, assistant, settings: config }), 'turn', isText);
  }

  // The decisions about the facts of a turn; null until the server extracted them.
  async factsOf(turn: string): Promise<Decision[] | null> {
    const answer = await this.ask('GET', '/ingest/turns/' + encodeURIComponent(turn));
    return field<string>(answer, 'state', isText) === 'done' ? field<Decision[]>(answer, 'facts', Array.isArray) : null;
  }
}
