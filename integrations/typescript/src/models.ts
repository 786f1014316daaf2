// Bodies and answers of the memory API. Written by generate_typescript.py from the OpenAPI document: do not edit.

export interface Appended {
  count: number;
  last: number;
}

export interface BegunBlock {
  block: number;
}

export interface Block {
  block: number;
  closed_at: string | null;
  from: number;
  opened_at: string;
  query: string;
  state: "open" | "closed";
  summary: string;
  to: number;
  tokens: number;
  tools: Record<string, unknown>;
}

export interface BlockMessages {
  block: number;
  closed_at: string | null;
  from: number;
  messages: Message[];
  next_cursor?: string;
  opened_at: string;
  partial?: boolean;
  query: string;
  state: "open" | "closed";
  summary: string;
  to: number;
  tokens: number;
  tools: Record<string, unknown>;
}

export interface Blocks {
  blocks: Block[];
  conversation: string;
  next_cursor?: string;
  partial?: boolean;
}

export interface ChangedTrace {
  updated: boolean;
}

export interface Checkpoint {
  bytes: number;
  conversation: string;
  expires_at: string;
  generation: number;
  memory?: Record<string, unknown>;
  messages: Record<string, unknown>[];
  messages_removed?: number;
  next_cursor?: string;
  partial?: boolean;
  saved_at: string;
  sha256: string;
  skipped?: unknown[];
  step: number;
  tool_state?: Record<string, unknown>;
}

export interface CheckpointRow {
  bytes: number;
  expires_at: string;
  generation: number;
  saved_at: string;
  sha256: string;
  step: number;
}

export interface Checkpoints {
  checkpoints: CheckpointRow[];
  conversation: string;
}

export interface Considered {
  key: string;
  rule: string;
  store: boolean;
}

export interface Context {
  due?: DueTrace[];
  partial?: boolean;
  recent_observations: Recalled[];
  recent_sessions: SessionSummary[];
}

export interface Conversation {
  conversation: string;
  created_at: string;
  id: string;
  memory_session_id: string;
  message_count: number;
  state: string;
  turn: number;
  updated_at: string;
}

export interface Conversations {
  conversations: Conversation[];
  next_cursor?: string;
  partial?: boolean;
}

export interface DeletedFields {
  deleted: number;
}

export interface DeletedTrace {
  deleted: boolean;
}

export interface DueTrace {
  content: string;
  createdAt: number;
  deletedAt?: number;
  emotions: Record<string, unknown>;
  id: string;
  lastAccessed: number;
  metadata: Record<string, unknown>;
  observationId: number;
  project: string;
  reason?: string;
  remindAt?: number;
  retrievalCount: number;
  revisions: number;
  scope: "thread" | "user" | "persona" | "organization";
  scopeId: string;
  source: Source;
  strength: number;
  tags: string[];
  type: "episodic" | "semantic" | "procedural" | "prospective";
}

export interface DueTraces {
  traces: DueTrace[];
}

export interface Edge {
  kind: string;
  to: string;
  weight: number;
}

export interface EndedSession {
  message_count: number;
  session_id: string;
  summary: string;
  tool_results: number;
}

export interface Episode {
  agent_id: string;
  conversation_id: string;
  created_at: string;
  entities: unknown[];
  id: number;
  key_decisions: unknown[];
  metadata: Record<string, unknown>;
  summary: string;
  tools_used: string[];
  user_id: string | null;
}

export interface Episodes {
  conversation_id: string;
  memories: Episode[];
}

export interface Error {
  code: string;
  error: string;
}

export interface FoundEpisode {
  agent_id: string;
  conversation_id: string;
  created_at: string;
  entities: unknown[];
  id: number;
  key_decisions: unknown[];
  metadata: Record<string, unknown>;
  method: string;
  similarity: number;
  summary: string;
  tools_used: string[];
  user_id: string | null;
}

export interface FoundEpisodes {
  results: FoundEpisode[];
}

export interface FoundItem {
  accessed: string;
  created: string;
  key: string;
  metadata: Record<string, unknown>;
  method: string;
  score: number;
  ttl: number;
  value: unknown;
  version: number;
}

export interface FoundItems {
  items: FoundItem[];
  partial?: boolean;
}

export interface FoundTrace {
  content: string;
  id: string;
  scope: string;
  score: number;
  scores: TraceScores;
  source: Source;
  strength: number;
  tags: string[];
  type: string;
}

export interface FoundTraces {
  partial?: boolean;
  results: FoundTrace[];
}

export interface Health {
  status: string;
}

export interface HiddenObservation {
  content: string;
  created_at: string;
  duplicate_count: number;
  hidden_at: string;
  id: number;
  last_seen_at: string;
  normalized_hash: string;
  project: string;
  revision_count: number;
  scope: string;
  session_id: string;
  source: Source;
  tags: string[];
  title: string;
  topic_key: string;
  type: string;
  updated_at: string;
}

export interface Hit {
  content: string;
  created_at: string;
  id: number;
  method: string;
  project: string;
  rank: number;
  revision_count: number;
  scope: string;
  scores?: Scores;
  session_id: string;
  source: Source;
  tags: string[];
  title: string;
  topic_key: string;
  trust: string;
  type: string;
}

export interface ImportReport {
  errors: unknown[];
  imported: number;
  imported_observations: number;
  imported_sessions: number;
  skipped: number;
}

export interface IngestSettings {
  personality?: Record<string, unknown>;
  storage?: Record<string, unknown>;
}

export interface Item {
  accessed: string;
  created: string;
  key: string;
  metadata: Record<string, unknown>;
  ttl: number;
  value: unknown;
  version: number;
}

export interface Ledger {
  conversation: string;
  items: LedgerEntry[];
  next_cursor?: string;
  partial?: boolean;
}

export interface LedgerAnswer {
  conversation: string;
  evicted?: boolean;
  injected: boolean;
  item: string;
  marked_at?: string;
  turn?: number;
  value?: string;
}

export interface LedgerEntry {
  item: string;
  marked_at: string;
  turn: number;
  value: string;
}

export interface LoggedRun {
  busy?: boolean;
  compacted: number;
  derive: string;
  derived: number;
  dryRun: boolean;
  durationMs: number;
  merged: number;
  partial?: boolean;
  pruned: number;
  runId: string | null;
  startedAt: number;
  strengthened: number;
  undoneAt: number | null;
}

export interface MergedTraces {
  mergedTraceId: string;
  sourcesDeleted: number;
}

export interface Message {
  content?: string;
  is_error?: boolean;
  role: "user" | "assistant" | "tool" | "system";
  sequence?: number;
  tool_call_id?: string;
  tool_calls?: unknown[];
}

export interface Messages {
  conversation: string;
  fields: Record<string, unknown>;
  last: number;
  memory_session_id: string;
  messages: Message[];
  next_cursor?: string;
  partial?: boolean;
  state: string;
}

export interface Observation {
  content: string;
  created_at: string;
  duplicate_count: number;
  id: number;
  last_seen_at: string;
  normalized_hash: string;
  project: string;
  revision_count: number;
  scope: string;
  session_id: string;
  source: Source;
  tags: string[];
  title: string;
  topic_key: string;
  type: string;
  updated_at: string;
}

export interface OriginalText {
  archivedAt: number | null;
  verbatimContent: string | null;
}

export interface Plan {
  goal?: string;
  steps?: PlanStep[];
}

export interface PlanStep {
  id?: string;
  status?: "pending" | "in_progress" | "completed" | "cancelled";
  text: string;
}

export interface PromptContext {
  blocks: number[];
  budget: number;
  left_out: number[];
  messages: Message[];
  partial?: boolean;
  tokens: number;
}

export interface Quote {
  how: string;
  name: string;
  place: string;
}

export interface Quotes {
  left: Quote[];
  partial?: boolean;
  texts: string[];
  titles: string[];
}

export interface Recalled {
  content: string;
  created_at: string;
  id: number;
  method: string;
  rank: number;
  revision_count: number;
  scope: string;
  scores?: Scores;
  session_id: string;
  source: Source;
  title: string;
  trust: string;
  type: string;
}

export interface RenderedItems {
  items: string[];
  suggested_role: string;
  text: string;
}

export interface RenderedTask {
  chars: number;
  partial?: boolean;
  suggested_role: string;
  text: string;
}

export interface RestoredTraces {
  restored: string[];
}

export interface Retention {
  project: string;
  retention: RetentionRule[];
}

export interface RetentionRule {
  maxRows?: number;
  scope?: "project" | "global";
  ttl?: string;
  type?: string;
}

export interface Revision {
  content: string;
  replaced_at?: string;
  revision: number;
  tags: string[];
  title: string;
  trust: string;
  type: string;
  written_at: string;
}

export interface Run {
  busy?: boolean;
  compacted: number;
  derive: string;
  derived: number;
  dryRun: boolean;
  durationMs: number;
  merged: number;
  partial?: boolean;
  pruned: number;
  runId: string | null;
  strengthened: number;
}

export interface RunCounts {
  compacted: number;
  derived: number;
  merged: number;
  pruned: number;
  strengthened: number;
}

export interface Runs {
  runs: LoggedRun[];
}

export interface SavedCheckpoint {
  bytes: number;
  expires_at: string;
  generation: number;
  sha256: string;
  step: number;
}

export interface SavedEpisode {
  created_at: string;
  id: number;
}

export interface SavedObservation {
  action: "created" | "updated" | "deduplicated";
  duplicate_count: number;
  id: number;
  revision_count: number;
}

export interface SavedShared {
  key: string;
  version: number;
}

export interface SavedTrace {
  traceId: string;
}

export interface Scores {
  answer?: number;
  lexical: number;
  session?: number;
  similarity: number | null;
  soft?: number;
}

export interface Session {
  ended_at?: string;
  id: string;
  message_count: number;
  predecessor?: string;
  project: string;
  started_at: string;
  summary?: string;
}

export interface SessionSummary {
  ended_at?: string;
  id: string;
  summary: string;
}

export interface Snapshot {
  files_modified: string[];
  files_read: string[];
  plan: Plan;
  task: string;
}

export interface Source {
  origin?: string;
  rule?: string;
  tool?: string;
  tool_call_id?: string;
}

export interface Stats {
  projects: string[];
  total_observations: number;
  total_sessions: number;
}

export interface StoreRule {
  match?: string;
  minLength?: number;
}

export interface SummaryMessage {
  content: string;
  role: string;
}

export interface TaskBudget {
  used_tokens?: number;
  window_tokens?: number;
}

export interface TraceScores {
  emotion: number;
  graph: number;
  importance: number;
  lexical: number;
  recency: number;
  similarity: number;
  strength: number;
}

export interface Turn {
  turn: string;
}

export interface TurnState {
  facts: unknown[];
  reason?: string;
  state: "pending" | "done" | "failed";
}

export interface WholeTrace {
  content: string;
  createdAt: number;
  deletedAt?: number;
  edges: Edge[];
  emotions: Record<string, unknown>;
  id: string;
  lastAccessed: number;
  mergedInto: string | null;
  metadata: Record<string, unknown>;
  observationId: number;
  project: string;
  reason?: string;
  remindAt?: number;
  retrievalCount: number;
  revisions: number;
  scope: "thread" | "user" | "persona" | "organization";
  scopeId: string;
  source: Source;
  sources: string[];
  strength: number;
  tags: string[];
  type: "episodic" | "semantic" | "procedural" | "prospective";
}

export interface WorkingMemory {
  bytes: number;
  conversation_id: string;
  expires_at: string | null;
  fields: Record<string, unknown>;
  ttl_seconds: number | null;
  version: number;
}
