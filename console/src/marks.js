// Pinned and buried memories: tags that only these buttons change, so that a form does not show them.
import { html } from "htm/preact";

import { call } from "./api.js";
import { changes, say, sayError } from "./notice.js";
import { changeObservation } from "./operations.js";

const TAGS = { pinned: "@pinned", buried: "@buried" };
const HINTS = { pinned: "Never expires, and ranks first where it is found", buried: "Never goes into a prompt; a search still finds it" };

export const isMark = (tag) => Object.values(TAGS).includes(tag);
export const hasMark = (row, mark) => (row.tags ?? []).includes(TAGS[mark]);
export const plainTags = (row) => (row.tags ?? []).filter((tag) => !isMark(tag));

// What PATCH takes, so that a row has the marks that any of `rows` has; null: none has one.
export function marksOfAny(rows) {
  const marks = Object.keys(TAGS).filter((mark) => rows.some((row) => hasMark(row, mark)));
  return marks.length ? Object.fromEntries(marks.map((mark) => [mark, true])) : null;
}

async function set(row, mark, value, after) {
  await call(changeObservation, { at: { id: row.id }, body: { [mark]: value, source: { origin: "user" } } });
  changes.value += 1;
  after();
  return value ? `The memory is ${mark}.` : `The memory is not ${mark} any more.`;
}

export function MarkButtons({ row, done }) {
  const change = async (mark, value) => {
    try {
      say(await set(row, mark, value, done), () => set(row, mark, !value, done));
    } catch (error) {
      sayError(error);
    }
  };
  return html`${Object.keys(TAGS).map((mark) => {
    const has = hasMark(row, mark), verb = { pinned: has ? "Unpin" : "Pin", buried: has ? "Unbury" : "Bury" }[mark];
    return html`<button title=${HINTS[mark]} onClick=${() => change(mark, !has)}>${verb}</button> `;
  })}`;
}

export function Marks({ row }) {
  return html`${Object.keys(TAGS).filter((mark) => hasMark(row, mark)).map((mark) => html` <span class="tag" title=${HINTS[mark]}>${mark}</span>`)}`;
}
