// The form of a memory, to write a new one or to change one. A change names the revision that it was made from: if another
// came in between, both texts are shown, and nothing is lost.
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { call } from "./api.js";
import { plainTags } from "./marks.js";
import { Failed, say } from "./notice.js";
import { changeObservation, getObservation, saveObservation } from "./operations.js";
import { go } from "./place.js";
import { Difference, asText } from "./revisions.js";
import { countHidden } from "./text.js";

const tagsOf = (text) => text.split(",").map((tag) => tag.trim()).filter(Boolean);
export const draftOf = (row) => ({ title: row.title ?? "", type: row.type ?? "", tags: plainTags(row).join(", "), content: row.content ?? "", project: row.project ?? "", scope: row.scope ?? "project" });
export const bodyOf = ({ title, type, tags, content }) => ({ title, type, tags: tagsOf(tags), content });

function Input({ label, name, draft, set, more = {} }) {
  return html`<div class="field wide"><label for=${"edit-" + name}>${label}</label>
    ${name === "content" ? html`<textarea id="edit-content" rows="14" dir="auto" value=${draft[name]} onInput=${(event) => set(name, event.currentTarget.value)} ...${more}></textarea>`
      : html`<input id=${"edit-" + name} dir="auto" autocomplete="off" value=${draft[name]} onInput=${(event) => set(name, event.currentTarget.value)} ...${more} />`}</div>`;
}

export function Form({ draft, set, fresh, busy, send, cancel }) {
  const hidden = countHidden(draft.title + draft.content);
  return html`<form class="editor" onSubmit=${(event) => { event.preventDefault(); send(); }}>
    ${fresh && html`<${Input} label="Project" name="project" draft=${draft} set=${set} more=${{ required: true, maxlength: 200 }} />`}
    <${Input} label="Title" name="title" draft=${draft} set=${set} more=${{ required: true }} />
    <${Input} label="Type" name="type" draft=${draft} set=${set} more=${{ required: true, placeholder: "decision, lesson, preference …" }} />
    <${Input} label="Tags, separated by commas" name="tags" draft=${draft} set=${set} />
    <${Input} label="Content" name="content" draft=${draft} set=${set} more=${{ required: true }} />
    ${fresh && html`<div class="field"><label for="edit-scope">Scope</label><select id="edit-scope" value=${draft.scope} onChange=${(event) => set("scope", event.currentTarget.value)}>
      <option>project</option><option>global</option></select></div>`}
    ${hidden > 0 && html`<p class="failed">The text has ${hidden} invisible or control characters; the page of the memory shows them as signs.</p>`}
    <div class="bar"><button class="main" disabled=${busy}>${busy ? "Saving …" : "Save"}</button>
      <button type="button" onClick=${cancel}>Cancel</button></div></form>`;
}

function Conflict({ theirs, draft, keepMine, takeTheirs }) {
  const mine = { ...theirs, ...bodyOf(draft) };
  return html`<section class="failed" role="alert"><h2>Somebody changed this memory meanwhile</h2>
    <p>Revision ${theirs.revision_count} is stored. Nothing of yours is written yet. Below, what you would take out is struck, what you would put in is underlined.</p>
    <${Difference} before=${asText(theirs)} after=${asText(mine)} label="Difference of the stored text and yours" />
    <div class="bar"><button class="main" onClick=${keepMine}>Save mine over it</button><button onClick=${takeTheirs}>Keep the stored one</button></div>
    <p>Or go on editing below: your text is still there, and is saved over revision ${theirs.revision_count}.</p></section>`;
}

export function Editor({ row, done, cancel }) {
  const [base, setBase] = useState(row);
  const [draft, setDraft] = useState(draftOf(row));
  const [state, setState] = useState({});
  const set = (name, value) => setDraft((before) => ({ ...before, [name]: value }));
  async function send() {
    setState({ busy: true });
    try {
      const { body } = await call(changeObservation, { at: { id: row.id }, match: base.revision_count, body: { ...bodyOf(draft), source: { origin: "user" } } });
      say("Saved.");
      done(body);
    } catch (error) {
      if (error.status !== 412 && error.status !== 409) return setState({ error });
      try {
        const { body } = await call(getObservation, { at: { id: row.id } });
        setBase(body);
        setState({ theirs: body });
      } catch (lost) {
        setState({ error: lost });
      }
    }
  }
  return html`${state.theirs && html`<${Conflict} theirs=${state.theirs} draft=${draft} keepMine=${send} takeTheirs=${() => done(state.theirs)} />`}
    ${state.error && html`<${Failed} error=${state.error} again=${send} />`}
    <${Form} draft=${draft} set=${set} busy=${state.busy} send=${send} cancel=${cancel} />`;
}

export function NewMemory({ query }) {
  const [draft, setDraft] = useState(draftOf({ project: query.project, type: query.type }));
  const [state, setState] = useState({});
  const set = (name, value) => setDraft((before) => ({ ...before, [name]: value }));
  async function send() {
    setState({ busy: true });
    const session_id = ("console " + draft.project).slice(0, 200);  // a session has one project
    try {
      const { body } = await call(saveObservation, { body: { ...bodyOf(draft), project: draft.project, scope: draft.scope, session_id, source: { origin: "user", tool: "console" } } });
      say({ created: "Created.", updated: "An earlier memory says the same: it was updated.", deduplicated: "It was remembered already: counted." }[body.action]);
      go(["memory", body.id]);
    } catch (error) {
      setState({ error });
    }
  }
  return html`<h1>New memory</h1>${state.error && html`<${Failed} error=${state.error} again=${send} />`}
    <${Form} draft=${draft} set=${set} fresh busy=${state.busy} send=${send} cancel=${() => go(["memories"])} />`;
}
