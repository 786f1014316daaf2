// One memory of several: their texts together, which a person edits; then the others are hidden, and can be brought back.
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { call } from "./api.js";
import { Form, bodyOf, draftOf } from "./editor.js";
import { useLoaded } from "./loaded.js";
import { marksOfAny, plainTags } from "./marks.js";
import { Failed, Loading, changes, say } from "./notice.js";
import { changeObservation, deleteObservation, getObservation, restoreObservation, saveObservation } from "./operations.js";
import { address, go } from "./place.js";
import { Shown } from "./text.js";

export const MOST_MERGED = 100;
const apart = (rows, field) => new Set(rows.map((row) => row[field])).size > 1;

export function draftOfAll(rows) {
  const texts = [...new Set(rows.map((row) => row.content))], tags = [...new Set(rows.flatMap(plainTags))];
  return draftOf({ ...rows[0], tags, content: texts.join("\n\n") });
}

async function mergeInto(draft, rows) {
  const session_id = ("console " + draft.project).slice(0, 200);
  const { body } = await call(saveObservation, { body: { ...bodyOf(draft), project: draft.project, scope: draft.scope, session_id, source: { origin: "user", tool: "console" } } });
  const marks = marksOfAny(rows);  // else a buried text comes into prompts, or a pinned one expires
  if (marks) await call(changeObservation, { at: { id: body.id }, body: { ...marks, source: { origin: "user" } } });
  const others = rows.filter((row) => row.id !== body.id);  // the text may be that of one of them
  for (const row of others) await call(deleteObservation, { at: { id: row.id } });
  const undo = async () => {
    for (const row of others) await call(restoreObservation, { at: { id: row.id } });
    if (others.length === rows.length) await call(deleteObservation, { at: { id: body.id } });
    changes.value += 1;
    go(["memories"], { project: draft.project });
    return `Restored ${others.length} memories.`;
  };
  return { id: body.id, count: others.length, undo };
}

function MergeForm({ rows }) {
  const [draft, setDraft] = useState(draftOfAll(rows));
  const [state, setState] = useState({});
  const set = (name, value) => setDraft((before) => ({ ...before, [name]: value }));
  async function send() {
    setState({ busy: true });
    try {
      const { id, count, undo } = await mergeInto(draft, rows);
      changes.value += 1;
      go(["memory", id]);
      say(`Merged; ${count} memories are hidden.`, undo);
    } catch (error) {
      setState({ error });
    }
  }
  return html`<p>The new memory takes the place of these, which are hidden from agents:</p>
    <ul class="preview">${rows.map((row) => html`<li><a href=${address(["memory", row.id])}><${Shown} text=${row.title} /></a></li>`)}</ul>
    ${state.error && html`<${Failed} error=${state.error} again=${send} />`}
    <${Form} draft=${draft} set=${set} busy=${state.busy} send=${send} cancel=${() => go(["memories"], { project: draft.project })} />`;
}

export function Merge({ query }) {
  const ids = [...new Set((query.ids ?? "").split(",").filter((id) => /^\d+$/.test(id)))].slice(0, MOST_MERGED);
  const { value: rows, error, again } = useLoaded(ids.join(), (signal) =>
    Promise.all(ids.map((id) => call(getObservation, { at: { id }, signal }).then(({ body }) => body))));
  if (error) return html`<h1>Merge</h1><${Failed} error=${error} again=${again} />`;
  if (!rows) return html`<h1>Merge</h1><${Loading} what="the memories" />`;
  const fault = rows.length < 2 ? "Mark two or more memories in the list to merge them."
    : ["project", "scope"].filter((field) => apart(rows, field)).map((field) => `These memories are of more than one ${field}: merge those of one.`)[0];
  return html`<h1>Merge ${rows.length} memories</h1>${fault ? html`<p class="empty">${fault} <a href="#/memories">All memories</a></p>` : html`<${MergeForm} rows=${rows} />`}`;
}
