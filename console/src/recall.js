// What a prompt with these words would get, and why: the parts of each rank, and what is found but not given.
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { call } from "./api.js";
import { trustOf } from "./filters.js";
import { useLoaded } from "./loaded.js";
import { hasMark } from "./marks.js";
import { Failed, Loading } from "./notice.js";
import { getContext, search } from "./operations.js";
import { address, go } from "./place.js";
import { Shown } from "./text.js";

const CANDIDATES = 50, PARTS = ["lexical", "similarity", "soft", "session", "answer"];
const number = (value) => (typeof value === "number" ? value.toFixed(3) : "–");

async function recalled({ q, project, limit }, signal) {
  const [context, found] = await Promise.all([
    call(getContext, { query: { query: q, project, limit, backfill: "false", sessions: 0 }, signal }),
    call(search, { query: { q, project, limit: CANDIDATES }, signal })]);
  const given = context.body.recent_observations, ids = new Set(given.map((row) => row.id));
  const marks = new Map(found.body.map((row) => [row.id, row.tags]));
  return [...given.map((row) => ({ ...row, tags: marks.get(row.id), given: "yes" })),
    ...found.body.filter((row) => !ids.has(row.id)).map((row) => ({ ...row, given: hasMark(row, "buried") ? "no: buried" : `no: beyond the limit of ${limit}` }))];
}

function Candidates({ query }) {
  const { value: rows, error, again } = useLoaded(JSON.stringify(query), (signal) => recalled(query, signal));
  if (error) return html`<${Failed} error=${error} again=${again} />`;
  if (!rows) return html`<${Loading} what="candidates" />`;
  if (!rows.length) return html`<p class="empty">No memory fits: a prompt with these words gets none. Try other words, or <a href=${address(["memories"], { project: query.project })}>look at the list</a>.</p>`;
  return html`<div class="wide-table" tabindex="0" role="region" aria-label="Candidates"><table><caption>${rows.filter((row) => row.given === "yes").length} given, ${rows.length} found</caption>
    <thead><tr><th>Given</th><th>Memory</th><th>Trust</th><th>Rank</th><th>Method</th>${PARTS.map((part) => html`<th>${part}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr><td>${row.given}</td><td><a href=${address(["memory", row.id])}><${Shown} text=${row.title} /></a>${hasMark(row, "pinned") && " (pinned)"}</td>
      <td>${trustOf(row)}</td><td>${number(row.rank)}</td><td>${row.method}</td>${PARTS.map((part) => html`<td>${number(row.scores?.[part])}</td>`)}</tr>`)}</tbody></table></div>`;
}

export function Recall({ query }) {
  const [draft, setDraft] = useState({ q: query.q ?? "", project: query.project ?? "", limit: query.limit ?? "5" });
  const input = (name, label, more) => html`<div class=${name === "q" ? "field wide" : "field"}><label for=${"recall-" + name}>${label}</label>
    <input id=${"recall-" + name} value=${draft[name]} onInput=${(event) => setDraft({ ...draft, [name]: event.currentTarget.value })} ...${more} /></div>`;
  return html`<h1>Recall</h1><p>What a prompt would get, and why. The lower the rank, the better; an Agent's policy may leave out classes of trust, and what its conversation has already.</p>
    <form class="filters" role="search" aria-label="Recall" onSubmit=${(event) => { event.preventDefault(); go(["recall"], draft); }}>
      ${input("q", "Prompt", { type: "search", required: true, maxlength: 500, placeholder: "as a person would ask the agent" })}
      ${input("project", "Project", { maxlength: 200, placeholder: "all" })}${input("limit", "Limit", { type: "number", min: 1, max: 100, required: true })}
      <button class="main">Recall</button></form>
    ${query.q && html`<${Candidates} query=${{ q: query.q, project: query.project, limit: query.limit || "5" }} />`}`;
}
