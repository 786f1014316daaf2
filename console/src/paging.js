// Reads a list page by page until enough rows fit, or enough were looked at: a filter that the server does not have must not
// read a million rows unasked.
import { call } from "./api.js";
import { comparesHere, fits } from "./filters.js";
import { listHidden, listObservations, search } from "./operations.js";

const PAGE = 50, WANTED = 50, MOST_LOOKED_AT = 2_000, MOST_HITS = 1_000;

function source({ q, project, type, scope, state }) {
  const query = { project, type, scope };
  if (state === "deleted") return { operation: listHidden, query: { ...query, limit: MOST_HITS }, words: q };
  if (q) return { operation: search, query: { ...query, q, limit: MOST_HITS } };
  return { operation: listObservations, query: { ...query, limit: PAGE } };
}

const hasWords = (row, words) =>
  !words || words.toLowerCase().split(/\s+/).every((word) => (row.title + " " + row.content).toLowerCase().includes(word));

// → { rows, next, looked, whole }: `next`: where to go on, null at the end; `whole`: no row was left out at a limit.
export async function readOn(filter, after, signal) {
  const { operation, query, words } = source(filter);
  const rows = [];
  let cursor = after, looked = 0, partial = false;
  do {
    const answer = await call(operation, { query: cursor ? { ...query, cursor } : query, signal });
    looked += answer.body.length;
    rows.push(...answer.body.filter((row) => fits(row, filter) && hasWords(row, words)));
    cursor = answer.next;
    partial ||= answer.partial && !answer.next;
  } while (cursor && rows.length < (comparesHere(filter) ? WANTED : 1) && looked < MOST_LOOKED_AT);
  return { rows, next: cursor, looked, partial: partial || (!cursor && operation !== listObservations && looked >= MOST_HITS) };
}
