// A value of the store as it stands in shared memory, filters, namespaces and paths. Pure. On the wire the same as store_rows.py.
import { createHash } from "node:crypto";

import type { Item, ListNamespacesOperation, MatchCondition, SearchItem } from "@langchain/langgraph-checkpoint";

const NAME = "langgraph.";
const PROJECT = "langgraph:";

export type Value = Record<string, unknown>;

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The key in shared memory: keys there have at most 200 characters. The text is that of Python's json.dumps. */
export function nameOf(namespace: string[], key: string): string {
  const plain = `[${[...namespace, key].map((part) => JSON.stringify(part)).join(", ")}]`;
  return NAME + digest(plain.replace(/[\u007f-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`));
}

/** The project of a namespace's items. A sidecar puts the one of its policy in its place. */
export function projectOf(namespace: string[]): string {
  const plain = PROJECT + namespace.join(".");
  return [...plain].length <= 200 ? plain : `${PROJECT}sha256:${digest(plain)}`;
}

export interface Row {
  namespace: string[];
  key: string;
  value: Value;
  created_at: string;
  updated_at: string;
  ttl: number | null; // minutes
  fields: string[]; // paths whose texts are found by meaning
}

/** Whether an entry of a list of shared memory is a row: an Agent may share other values, too. */
export function isRow(name: string, value: unknown): value is Row {
  return name.slice(name.lastIndexOf(":") + 1).startsWith(NAME) && typeof value === "object" && value !== null && "namespace" in value;
}

export function itemOf(row: Row): Item {
  return { value: row.value, key: row.key, namespace: row.namespace, createdAt: new Date(row.created_at), updatedAt: new Date(row.updated_at) };
}

export function foundOf(row: Row, score: number | undefined): SearchItem {
  return score === undefined ? itemOf(row) : { ...itemOf(row), score };
}

export function matches(value: Value, filter: Value = {}): boolean {
  return Object.entries(filter).every(([name, wanted]) => compares(value[name], wanted));
}

/** As LangGraph's own stores do: operators, nested objects, lists element by element. */
function compares(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(value) && value.length === wanted.length && wanted.every((one, at) => compares(value[at], one));
  }
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  if (Object.keys(wanted).some((name) => name.startsWith("$"))) return Object.entries(wanted).every(([name, operand]) => operates(value, name, operand));
  return typeof value === "object" && value !== null && matches(value as Value, wanted as Value);
}

function operates(value: unknown, operator: string, operand: unknown): boolean {
  const [left, right] = [Number(value), Number(operand)];
  switch (operator) {
    case "$eq": return value === operand;
    case "$ne": return value !== operand;
    case "$gt": return left > right;
    case "$gte": return left >= right;
    case "$lt": return left < right;
    case "$lte": return left <= right;
    case "$in": return Array.isArray(operand) && operand.includes(value);
    case "$nin": return !Array.isArray(operand) || !operand.includes(value);
    default: throw new Error(`unknown operator ${operator}: $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin`);
  }
}

export function listedNamespaces(op: ListNamespacesOperation, rows: Row[]): string[][] {
  const found = rows.map((row) => row.namespace).filter((namespace) => (op.matchConditions ?? []).every((one) => isMatched(one, namespace)));
  const cut = new Map(found.map((namespace) => namespace.slice(0, op.maxDepth)).map((namespace) => [JSON.stringify(namespace), namespace]));
  const sorted = [...cut.values()].sort((one, other) => one.join(":").localeCompare(other.join(":")));
  return sorted.slice(op.offset ?? 0, (op.offset ?? 0) + (op.limit ?? sorted.length));
}

function isMatched(condition: MatchCondition, namespace: string[]): boolean {
  const { path } = condition;
  const from = condition.matchType === "prefix" ? 0 : namespace.length - path.length;
  return from >= 0 && path.length <= namespace.length && path.every((label, at) => label === "*" || namespace[from + at] === label);
}

/** The texts at a path such as "a.b", "a[0]", "a[-1].b", "a[*]". */
export function textsAt(value: unknown, path: string): string[] {
  const steps = path.match(/[^.[\]]+/g) ?? [];
  let found = [value];
  for (const step of steps) {
    found = found.flatMap((one): unknown[] => {
      if (Array.isArray(one)) return step === "*" ? one : [one.at(Number(step))];
      if (typeof one !== "object" || one === null) return [];
      return step === "*" ? Object.values(one) : Object.hasOwn(one, step) ? [(one as Value)[step]] : [];
    });
  }
  return found.filter((one) => one !== null && one !== undefined).map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one)));
}
