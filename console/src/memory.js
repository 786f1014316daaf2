// One memory: its text, where it comes from, its revisions, what stands beside it; editing and deleting.
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { call } from "./api.js";
import { Editor } from "./editor.js";
import { Fields } from "./fields.js";
import { trustOf } from "./filters.js";
import { useLoaded } from "./loaded.js";
import { MarkButtons, Marks, plainTags } from "./marks.js";
import { Failed, Loading } from "./notice.js";
import { getObservation, getTimeline } from "./operations.js";
import { address, go } from "./place.js";
import { remove } from "./removal.js";
import { Revisions } from "./revisions.js";
import { Shown, When, Whole } from "./text.js";

function Neighbours({ id }) {
  const { value, error, again } = useLoaded(id, (signal) => call(getTimeline, { query: { observation_id: id, before: 3, after: 3 }, signal }));
  if (error) return html`<${Failed} error=${error} again=${again} />`;
  if (!value) return html`<${Loading} what="the session" />`;
  return html`<ol>${value.body.map((row) => html`<li>${String(row.id) === String(id) ? html`<strong><${Shown} text=${row.title} /></strong>`
    : html`<a href=${address(["memory", row.id])}><${Shown} text=${row.title} /></a>`} <span class="about"><${When} time=${row.created_at} /></span></li>`)}</ol>`;
}

function Part({ title, children }) {
  const [open, setOpen] = useState(false);
  return html`<details onToggle=${(event) => setOpen(event.currentTarget.open)}><summary><h2>${title}</h2></summary>${open && children}</details>`;
}

export function Memory({ id }) {
  const [editing, setEditing] = useState(false);
  const { value, error, again } = useLoaded(id, (signal) => call(getObservation, { at: { id }, signal }));
  if (error) return html`<h1>Memory ${id}</h1><${Failed} error=${error} again=${again} />`;
  if (!value) return html`<h1>Memory ${id}</h1><${Loading} what="the memory" />`;
  const row = value.body;
  const saved = () => { setEditing(false); again(); };
  const gone = () => go(["memories"], { project: row.project });
  const source = row.source ?? {};
  return html`<h1><${Shown} text=${row.title} /><${Marks} row=${row} /></h1>
    ${editing ? html`<${Editor} row=${row} done=${saved} cancel=${() => setEditing(false)} />` : html`
    <div class="bar"><button class="main" onClick=${() => setEditing(true)}>Edit</button>
      <${MarkButtons} row=${row} done=${again} />
      <button class="danger" onClick=${() => remove([row], gone)}>Delete</button></div>
    <${Whole} text=${row.content} name=${`memory-${row.id}.txt`} />
    <${Fields} rows=${[["Type", row.type], ["Tags", plainTags(row).join(", ")], ["Project", row.project], ["Scope", row.scope], ["Topic key", row.topic_key],
      ["Created", html`<${When} time=${row.created_at} />`], ["Changed", html`<${When} time=${row.updated_at} />`], ["Seen last", html`<${When} time=${row.last_seen_at} />`],
      ["Revision", row.revision_count], ["Repetitions", row.duplicate_count], ["Id", row.id]]} />
    <section><h2>Where it comes from</h2><${Fields} rows=${[["Trust", trustOf(row)], ["Origin", source.origin], ["Tool", source.tool], ["Call of the tool", source.tool_call_id],
      ["Rule", source.rule], ["Session", row.session_id], ["Hash of the text", row.normalized_hash]]} /></section>
    <${Part} title=${`Revisions (${row.revision_count})`}><${Revisions} id=${row.id} count=${row.revision_count} /><//>
    <${Part} title="Beside it in its session"><${Neighbours} id=${row.id} /><//>`}`;
}
