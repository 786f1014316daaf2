// What the list is narrowed to: the words of its address. The server has `project`, `type`, `scope` and the query; the rest
// is compared here, row by row.
import { html } from "htm/preact";

import { hasMark } from "./marks.js";
import { go } from "./place.js";

export const TRUST = ["user", "agent", "rule", "import", "tool-output"];
const PAUSE_MS = 250;
const FIELDS = [
  { name: "q", label: "Search", type: "search", wide: true, placeholder: "a question or words" },
  { name: "project", label: "Project", list: "projects" },
  { name: "type", label: "Type", list: "types" },
  { name: "scope", label: "Scope", choices: ["project", "global"] },
  { name: "tag", label: "Tag" },
  { name: "trust", label: "Trust", choices: TRUST },
  { name: "by", label: "Tool or rule" },
  { name: "from", label: "Changed from", type: "date" },
  { name: "to", label: "to", type: "date" },
  { name: "state", label: "State", choices: ["pinned", "buried", "deleted"], none: "live" },
];
const TYPES = ["decision", "discovery", "bugfix", "pattern", "architecture", "config", "learning", "lesson", "preference"];

export const trustOf = (row) => row.trust ?? row.source?.origin ?? "user";
export const changedAt = (row) => row.hidden_at ?? row.updated_at ?? row.created_at;
const day = (text) => new Date(text + "T00:00:00").getTime();

const isMarked = (state) => state === "pinned" || state === "buried";

export function fits(row, { tag, trust, by, from, to, state }) {
  const changed = Date.parse(changedAt(row));
  return (!tag || (row.tags ?? []).some((one) => one.toLowerCase() === tag.toLowerCase())) &&
    (!isMarked(state) || hasMark(row, state)) &&
    (!trust || trustOf(row) === trust) &&
    (!by || [row.source?.tool, row.source?.rule].some((one) => one?.toLowerCase() === by.toLowerCase())) &&
    (!from || changed >= day(from)) && (!to || changed < day(to) + 86_400_000);
}

export const comparesHere = ({ tag, trust, by, from, to, state }) => Boolean(tag || trust || by || from || to || isMarked(state));

let waiting;
function change(query, name, value, pause = 0) {
  clearTimeout(waiting);
  waiting = setTimeout(() => go(["memories"], { ...query, [name]: value.trim() }, { replace: true }), pause);
}

function Field({ field, query }) {
  const { name, label, choices, none = "all" } = field;
  const value = query[name] ?? "";
  const id = "filter-" + name;
  const input = choices
    ? html`<select id=${id} value=${value} onChange=${(event) => change(query, name, event.currentTarget.value)}>
        <option value="">${none}</option>${choices.map((one) => html`<option value=${one} selected=${one === value}>${one}</option>`)}</select>`
    : html`<input id=${id} type=${field.type ?? "text"} value=${value} placeholder=${field.placeholder} list=${field.list}
        autocomplete="off" spellcheck=${false} maxlength="500" onInput=${(event) => change(query, name, event.currentTarget.value, PAUSE_MS)} />`;
  return html`<div class=${field.wide ? "field wide" : "field"}><label for=${id}>${label}</label>${input}</div>`;
}

export function Filters({ query, projects }) {
  const used = FIELDS.some(({ name }) => query[name]);
  return html`<form class="filters" role="search" aria-label="Memories" onSubmit=${(event) => event.preventDefault()}>
    ${FIELDS.map((field) => html`<${Field} key=${field.name} field=${field} query=${query} />`)}
    <datalist id="projects">${projects.map((one) => html`<option value=${one} />`)}</datalist>
    <datalist id="types">${TYPES.map((one) => html`<option value=${one} />`)}</datalist>
    ${used && html`<a class="button" href="#/memories">Clear filters</a>`}
  </form>`;
}
