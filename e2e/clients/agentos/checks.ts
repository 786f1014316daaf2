// Checks each "Behaviour" bullet of AgentOS' page "Memory Operations" on a server: checks.js URL tools|turns|young|aged.
// Prints a JSON line per check: {"ok": bool, "what": string, "seen"?}. Between young and aged the caller ages the traces.

import { Memory, MemoryError, type AgentConfig, type Added, type Decision, type Deleted, type Found, type Merged, type Reflected, type Rehydrated,
  type Results, type Updated } from './memory.js';

declare const process: { argv: string[]; env: Record<string, string | undefined>; exitCode: number };
interface Row extends Found {
  scopeId: string; edges: { to: string; kind: string; weight: number }[]; mergedInto: string | null; sources: string[];
  deletedAt?: number; metadata: Record<string, unknown>; createdAt: number;
}

function check(ok: boolean, what: string, seen?: unknown): void {
  console.log(JSON.stringify(ok ? { ok, what } : { ok, what, seen }));
}
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const equal = (seen: unknown, wanted: unknown, what: string) => check(same(seen, wanted), what, { seen, wanted });
const as = (user: string, more = {}) => new Memory(process.argv[2]!, { user, ...more }, process.env.MEMORY_TOKEN);
const add = async (m: Memory, content: string, more = {}) => (await m.call<Added>('memory_add', { content, ...more })).traceId;
const find = async (m: Memory, query: string, more = {}) => (await m.call<Results>('memory_search', { query, ...more })).results;
const found = async (m: Memory, query: string, more = {}) => (await find(m, query, more)).map(row => row.id);
// The server's row of a trace, with fields that the page's tools do not return.
const look = async (m: Memory, id: string) => await m.ask('GET', `/traces/${id}?deleted=true`) as unknown as Row;
async function refusal(call: Promise<unknown>): Promise<number> {
  try { await call; return 200; } catch (error) { return error instanceof MemoryError ? error.status : -1; }
}
const NEVER = 'mt_00000000-0000-4000-8000-000000000000';

async function adding(m: Memory): Promise<void> {
  const example = { type: 'semantic', tags: ['preference', 'ui', 'language'] };
  const id = await add(m, 'User prefers dark mode and TypeScript.', example);
  const row = await look(m, id);
  check(row.strength > 0.999 && row.strength <= 1, 'memory_add: a trace begins with strength 1.0', row.strength);
  check(/^mt_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id), 'memory_add: its id is mt_<UUID>', id);
  const others = [await add(m, 'User prefers dark mode and TypeScript.', { ...example, type: 'procedural' }),
    await add(m, 'User prefers dark mode and TypeScript.', { ...example, scope: 'organization' })];
  equal(await add(m, 'User prefers dark mode and TypeScript.', example), id, 'memory_add: the same content, type and scope is the existing trace');
  check(new Set([id, ...others]).size === 3, 'memory_add: another type or another scope is another trace', others);
  for (const other of others) await m.call('memory_delete', { traceId: other });
  check((await found(m, 'TypeScript')).includes(id), 'memory_add: the full-text index has it');
  const plain = await look(m, await add(m, 'It rained.'));
  equal([plain.type, plain.scope, plain.tags], ['episodic', 'user', []], 'memory_add: the defaults are episodic, user and no tags');
  equal([await refusal(add(m, 'x', { type: 'emotional' })), await refusal(add(m, ''))], [400, 400], 'memory_add: another type and no content are refused');
  const bob = as('bob', { persona: 'coder', thread: 't1' }), alone = await add(bob, 'a secret of bob');
  const thread = await add(bob, 'of one thread', { scope: 'thread' }), persona = await add(bob, 'of one persona', { scope: 'persona' });
  equal([(await look(bob, alone)).scopeId, (await look(bob, thread)).scopeId, (await look(bob, persona)).scopeId], ['bob', 't1', 'coder'],
    'scopes: their ids come from the execution context');
  equal([await found(m, 'secret'), await refusal(look(m, alone))], [[], 404], 'scopes: another user neither finds nor reads it');
}

async function updating(m: Memory): Promise<void> {
  const id = await add(m, 'The editor is Emacs.', { tags: ['editor'] });
  equal(await m.call<Updated>('memory_update', { traceId: NEVER, content: 'x' }), { updated: false }, 'memory_update: a trace that is not there: updated is false');
  equal(await m.call<Updated>('memory_update', { traceId: id, tags: ['tool'] }), { updated: true }, 'memory_update: a trace that is there: updated is true');
  let row = await look(m, id);
  equal([row.content, row.tags], ['The editor is Emacs.', ['tool']], 'memory_update: tags alone leave the content');
  await m.call('memory_update', { traceId: id, content: 'The editor is Helix.' });
  row = await look(m, id);
  equal([row.content, row.tags], ['The editor is Helix.', ['tool']], 'memory_update: content alone leaves the tags');
  equal([await found(m, 'Emacs'), await found(m, 'Helix')], [[], [id]], 'memory_update: the index has the new words and not the old ones');
  const again = await add(m, 'The editor is Helix.'), old = await add(m, 'The editor is Emacs.');
  check(again === id && old !== id, 'memory_update: the content hash is that of the new content', { id, again, old });
}

async function deleting(m: Memory): Promise<void> {
  const id = await add(m, 'The zeppelin lands at noon.');
  equal(await m.call<Deleted>('memory_delete', { traceId: id }), { deleted: true }, 'memory_delete: a trace that is there: deleted is true');
  equal(await found(m, 'zeppelin'), [], 'memory_delete: no search finds it');
  const row = await look(m, id);
  check(row.content.includes('zeppelin') && row.deletedAt !== undefined, 'memory_delete: it stays for an audit', row);
  equal([await m.call('memory_delete', { traceId: NEVER }), await m.call('memory_delete', { traceId: id })], [{ deleted: false }, { deleted: false }],
    'memory_delete: a trace that is not there: deleted is false');
}

async function merging(m: Memory): Promise<void> {
  const a = await add(m, 'Deploys use Docker Compose.', { tags: ['deploy', 'docker'] }), b = await add(m, 'Deploys are blue-green.', { tags: ['deploy'] });
  const c = await add(m, 'Deploys happen on Fridays.', { tags: ['friday'] }), friend = await add(m, 'The deploy host is called arrakis.');
  await m.ask('PUT', `/traces/${a}/edges/${friend}`, { kind: 'about', weight: 0.5 });
  await m.ask('PUT', `/traces/${friend}/edges/${b}`, { kind: 'about' });
  const content = "User's deployment preferences: Docker Compose, blue-green strategy, Friday deploys.";
  const answer = await m.call<Merged>('memory_merge', { traceIds: [a, b, c], content });
  const merged = answer.mergedTraceId, row = await look(m, merged);
  equal([answer.sourcesDeleted, row.content], [3, content], 'memory_merge: a new trace with the content given, three sources deleted');
  equal(row.tags.toSorted(), ['deploy', 'docker', 'friday'], 'memory_merge: tags of all sources are united');
  const sources = await Promise.all([a, b, c].map(id => look(m, id)));
  check(sources.every(source => source.deletedAt !== undefined && source.mergedInto === merged), 'memory_merge: sources are soft-deleted with a reference to it', sources);
  equal([row.edges.map(edge => edge.to), (await look(m, friend)).edges.map(edge => edge.to)], [[friend], [merged]],
    'memory_merge: edges from and to the sources are those of the merged trace');
  const joined = await m.call<Merged>('memory_merge', { traceIds: [await add(m, 'first part'), await add(m, 'second part')] });
  equal((await look(m, joined.mergedTraceId)).content, 'first part\nsecond part', 'memory_merge: without content those of the sources are joined');
  equal([await refusal(m.call('memory_merge', { traceIds: [merged] })), await refusal(m.call('memory_merge', { traceIds: [merged, NEVER] }))], [400, 400],
    'memory_merge: fewer than two ids, or one that is not there, is refused');
}

async function searching(): Promise<void> {
  const m = as('searcher'), id: Record<string, string> = {};
  for (const [name, content, more] of [['deployment', 'The deployment of staging failed.', {}], ['deployed', 'We deployed with docker and compose.', {}],
    ['docker', 'A docker image is large.', { type: 'semantic', scope: 'organization' }], ['dark', 'She uses dark mode everywhere.', {}],
    ['modes', 'The dark side has another mode.', {}], ['ts', 'typescript is typed', {}], ['js', 'javascript is not', {}], ['types', 'many types of tea', {}]] as const)
    id[name] = await add(m, content, more);
  const names = async (query: string, more = {}) => (await found(m, query, more)).map(one => Object.keys(id).find(name => id[name] === one)).toSorted();
  const typed = await names('typed');  // plus traces found by meaning, if the server has its table of word vectors
  check((await names('deploy')).includes('deployed') && ['ts', 'types'].every(name => typed.includes(name)), 'memory_search: word matches other forms: deployed, typed',
    [await names('deploy'), typed]);
  equal(await names('deploy OR deployment'), ['deployed', 'deployment'], 'memory_search: deploy does not find deployment, whose stem is another; OR does');
  equal(await names('"dark mode"'), ['dark'], 'memory_search: "phrase query"');
  equal(await names('docker AND compose'), ['deployed'], 'memory_search: AND');
  equal(await names('typescript OR javascript'), ['js', 'ts'], 'memory_search: OR');
  equal(await names('deploy NOT staging'), ['deployed'], 'memory_search: NOT');
  equal(await names('type*'), ['ts', 'types'], 'memory_search: prefix*');
  equal((await found(m, 'does she use dark mode everywhere?'))[0], id.dark, 'memory_search: a sentence finds the best match first');
  equal(await names('docker', { type: 'semantic' }), ['docker'], 'memory_search: type filters');
  equal([await names('docker', { scope: 'organization' }), await names('docker', { scope: 'user' })], [['docker'], ['deployed']], 'memory_search: scope filters');
  equal((await find(m, 'dark mode', { limit: 1 })).length, 1, 'memory_search: limit');
  for (let n = 0; n < 12; n++) await add(m, `kumquat number ${n} is ripe`);
  equal((await find(m, 'kumquat')).length, 10, 'memory_search: ten results by default');
}

async function tools(): Promise<void> {
  const m = as('ann');
  const names = m.createTools().map(tool => tool.name);
  equal(names, ['memory_add', 'memory_update', 'memory_delete', 'memory_merge', 'memory_search', 'memory_reflect'], 'the pack has the six tools');
  await adding(m);
  await updating(m);
  await deleting(m);
  await merging(m);
  await searching();
}

async function turns(): Promise<void> {
  const facts = async (m: Memory, user: string, config: AgentConfig = {}): Promise<Decision[]> => {
    const turn = await m.afterTurn(user, 'Noted.', config), end = Date.now() + 30_000;
    for (;;) {
      const decided = await m.factsOf(turn);
      if (decided || Date.now() > end) return decided ?? [];
      await new Promise(resolve => setTimeout(resolve, 10));
    }
  };
  const kept = (list: Decision[]) => list.filter(one => one.decision === 'stored');
  const m = as('tom'), [first] = await facts(m, 'I prefer dark roast coffee over tea.');
  check(first?.category === 'user_preference' && first.importance > 0 && first.importance <= 1 && first.threshold === 0.4 && first.decision === 'stored',
    'auto-ingest: a turn becomes a fact with category and importance, above the threshold of 0.4', first);
  const row = await look(m, first?.traceId ?? NEVER);
  check(row.metadata.collection === 'auto_memories' && row.metadata.category === 'user_preference' && row.metadata.importance === first?.importance
    && String(row.metadata.sourceTurn).startsWith('turn_') && row.createdAt > 0, 'auto-ingest: stored in auto_memories with category, importance, time and turn', row);
  check((await found(m, 'coffee')).includes(row.id), 'auto-ingest: memory_search finds what auto-ingest stored');
  equal((await facts(m, 'I prefer dark roast coffee over tea.')).map(one => one.decision), ['duplicate'], 'auto-ingest: a near-duplicate is dropped');
  const said = 'I prefer dark roast coffee. I want to learn Rust this year. I live in Oslo. I work as a nurse. My dog is called Rex.';
  equal(kept(await facts(as('three'), said)).length, 3, 'auto-ingest: three facts of a turn by default');
  const config = (autoIngest: object, personality = {}) => ({ storage: { autoIngest }, personality });
  equal(kept(await facts(as('one'), said, config({ maxPerTurn: 1 }))).length, 1, 'auto-ingest: maxPerTurn of agent.config.json');
  const below = await facts(as('none'), said, config({ importanceThreshold: 1 }));
  check(below.length > 0 && below.every(one => one.decision === 'below'), 'auto-ingest: importanceThreshold of agent.config.json', below);
  equal(await facts(as('off'), said, config({ enabled: false })), [], 'auto-ingest: enabled: false');
  const open = await facts(as('open'), said, config({}, { openness: 0.9 }));
  check(kept(open).length === 4 && open.every(one => Math.abs(one.threshold - 0.3) < 1e-9), 'auto-ingest: openness lowers the threshold and adds a fact', open);
}

const FADED = 'A thing that nobody asked for.', LONG = 'The pump of the north well failed in the night.' + Array.from({ length: 20 }, (_, n) => ` Detail ${n} was noted by the crew.`).join('');
const WEAK = 'The giraffe sleeps.', STRONG = 'A strong gorilla wakes.', TWINS = ['User likes tea', 'user  likes TEA'];

async function young(): Promise<void> {
  const m = as('old');
  for (const content of [FADED, LONG, 'The pump is blue.', WEAK, STRONG]) await add(m, content);
  for (let n = 0; n < 3; n++) await found(m, '"strong gorilla"');
  for (let n = 0; n < 5; n++) await found(m, 'pump');
  const busy = as('busy');
  for (let n = 0; n < 300; n += 25)
    await Promise.all(Array.from({ length: 50 }, (_, each) => add(busy, each % 2 ? `note  ${n + (each >> 1)}` : `Note ${n + (each >> 1)}`)));
  check(true, 'traces for a later consolidation are stored');
}

async function aged(): Promise<void> {
  const m = as('old'), [faded, long, weak, strong] = [await add(m, FADED), await add(m, LONG), await add(m, WEAK), await add(m, STRONG)];
  const strengths = [await look(m, weak), await look(m, strong)].map(row => row.strength);
  const both = await look(m, (await m.call<Merged>('memory_merge', { traceIds: [weak, strong] })).mergedTraceId);
  check(strengths[0]! < strengths[1]! && Math.abs(both.strength - strengths[1]!) < 0.001, 'memory_merge: the merged trace has the highest strength', [strengths, both.strength]);
  equal(await m.call<Rehydrated>('rehydrate_memory', { traceId: long }), { verbatimContent: null, archivedAt: null }, 'rehydrate_memory: null for what is not archived');
  const twins = [await add(m, TWINS[0]!), await add(m, TWINS[1]!)];
  const run = await m.call<Reflected>('memory_reflect', {});
  check(run.pruned === 1 && (await look(m, faded)).deletedAt !== undefined, 'memory_reflect: 1 prune: below 0.05 is soft-deleted', run);
  const into = (await look(m, twins[0]!)).mergedInto;
  check(run.merged === 1 && into !== null && into === (await look(m, twins[1]!)).mergedInto, 'memory_reflect: 2 merge: near-identical traces are one', run);
  const row = await look(m, long);
  check(row.edges.some(edge => edge.kind === 'coactivated' && edge.weight > 0), 'memory_reflect: 3 strengthen: found together, linked', row.edges);
  equal(run.derived, 0, 'memory_reflect: 4 derive: skipped without a model');
  check(run.compacted === 2 && row.type === 'semantic' && row.content.length < LONG.length, 'memory_reflect: 5 compact: old and often retrieved is semantic', run);
  equal([await found(m, 'nobody asked'), await found(m, '"likes tea"')], [[], [into]], 'memory_reflect: 6 the index has what is there now');
  const runs = await m.ask('GET', '/traces/reflect/runs') as unknown as { runs: Reflected[] };
  check(runs.runs.length === 1 && runs.runs[0]!.pruned === 1, 'memory_reflect: 6 the run is in the log', runs);
  const original = await m.call<Rehydrated>('rehydrate_memory', { traceId: long });
  check(original.verbatimContent === LONG && original.archivedAt !== null && original.archivedAt <= Date.now(), 'rehydrate_memory: the text before its gist', original);
  const busy = as('busy'), order: number[] = [];
  const all = await Promise.all(Array.from({ length: 6 }, async (_, n) => {
    const one = await busy.call<Reflected>('memory_reflect', {});
    order.push(n);
    return one;
  }));
  const worked = all.filter(one => one.pruned > 0), idle = all.filter(one => same(one, { pruned: 0, merged: 0, derived: 0, compacted: 0, durationMs: 0 }));
  check(worked.length === 1 && idle.length > 0 && order[0] !== all.indexOf(worked[0]!), 'memory_reflect: zero counts at once while another run goes on', [all, order]);
}

const parts: Record<string, () => Promise<void>> = { tools, turns, young, aged };
try {
  await parts[process.argv[3] ?? '']!();
} catch (error) {
  check(false, 'a call failed', String((error as Error).stack));
  process.exitCode = 1;
}
