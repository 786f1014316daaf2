// Deleting, with a preview of what goes and a way back: a deleted memory is hidden, and can be restored until retention
// removes it.
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { call } from "./api.js";
import { changes, say, sayError } from "./notice.js";
import { deleteObservation, restoreObservation } from "./operations.js";
import { Shown } from "./text.js";

const MOST_NAMED = 100;
const memories = (count) => (count === 1 ? "1 memory" : `${count.toLocaleString()} memories`);

// One after the other, so that no quota of writes is used up at once; → the rows that it was done to.
async function each(rows, operation, progress = () => {}) {
  const done = [];
  for (const row of rows) {
    try {
      await call(operation, { at: { id: row.id } });
      done.push(row);
    } catch (error) {
      if (error.status !== 404) {
        changes.value += 1;
        return { done, error };
      }
    }
    progress(done.length);
  }
  changes.value += 1;
  return { done };
}

export async function restore(rows) {
  const { done, error } = await each(rows, restoreObservation);
  error ? sayError(error) : say(`Restored ${memories(done.length)}.`);
}

export async function remove(rows, after = () => {}, progress) {
  const { done, error } = await each(rows, deleteObservation, progress);
  const undo = async () => {
    const back = await each(done, restoreObservation);
    if (back.error) throw back.error;
    return `Restored ${memories(back.done.length)}.`;
  };
  say(`Deleted ${memories(done.length)}.${error ? " Then: " + error.message : ""}`, done.length ? undo : undefined);
  after();
}

export function Removal({ rows, done, cancel }) {
  const dialog = useRef(null);
  const [count, setCount] = useState(-1);
  useEffect(() => dialog.current.showModal(), []);
  return html`<dialog ref=${dialog} aria-labelledby="removal" onCancel=${cancel}>
    <h2 id="removal">Delete ${memories(rows.length)}?</h2>
    <ul class="preview">${rows.slice(0, MOST_NAMED).map((row) => html`<li><${Shown} text=${row.title} /> <span class="about"><${Shown} text=${row.project} /></span></li>`)}</ul>
    ${rows.length > MOST_NAMED && html`<p>and ${rows.length - MOST_NAMED} more</p>`}
    <p>They are hidden from agents at once. You can undo it, or restore them from the list of deleted ones.</p>
    <div class="bar"><button class="danger" disabled=${count >= 0} onClick=${() => { setCount(0); remove(rows, done, setCount); }}>
      ${count < 0 ? "Delete" : `${count} of ${rows.length} …`}</button>
      <button autofocus disabled=${count >= 0} onClick=${cancel}>Keep them</button></div></dialog>`;
}
