// The texts that a memory had, and the difference of any two.
import { diffLines, diffWordsWithSpace } from "diff";
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { call } from "./api.js";
import { useLoaded } from "./loaded.js";
import { Failed, Loading } from "./notice.js";
import { listRevisions } from "./operations.js";
import { Shown, When } from "./text.js";

const MOST_MS = 40;  // of a comparison, which blocks the page

// By words; by lines where words take too long; else the one text, then the other.
function changes(before, after) {
  return diffWordsWithSpace(before, after, { timeout: MOST_MS }) ?? diffLines(before, after, { timeout: MOST_MS }) ??
    [{ value: before, removed: true }, { value: after, added: true }];
}

export function Difference({ before, after, label }) {
  if (before === after) return html`<p class="empty">Both texts are the same.</p>`;
  return html`<pre class="text diff" tabindex="0" aria-label=${label}>${changes(before, after).map((part) => {
    const text = html`<${Shown} text=${part.value} />`;
    return part.added ? html`<ins>${text}</ins>` : part.removed ? html`<del>${text}</del>` : text;
  })}</pre>`;
}

export const asText = (one) => `${one.title}\n${one.type} · ${(one.tags ?? []).join(", ")}\n\n${one.content}`;

function Choice({ label, texts, value, choose }) {
  return html`<label>${label} <select onChange=${(event) => choose(+event.currentTarget.value)}>${texts.map(({ revision }) =>
    html`<option value=${revision} selected=${revision === value}>${revision}</option>`)}</select></label>`;
}

export function Revisions({ id, count }) {
  const { value, error, again } = useLoaded(`${id}/${count}`, (signal) => call(listRevisions, { at: { id }, signal }));
  const [pair, setPair] = useState([null, null]);
  if (error) return html`<${Failed} error=${error} again=${again} />`;
  if (!value) return html`<${Loading} what="revisions" />`;
  const texts = value.body;
  if (texts.length < 2) return html`<p class="empty">It has one text, as it was written.</p>`;
  const [left, right] = [pair[0] ?? texts.at(-2).revision, pair[1] ?? texts.at(-1).revision];
  const text = (revision) => asText(texts.find((one) => one.revision === revision) ?? texts.at(-1));
  return html`<div class="bar"><${Choice} label="From revision" texts=${texts} value=${left} choose=${(one) => setPair([one, right])} />
      <${Choice} label="to" texts=${texts} value=${right} choose=${(one) => setPair([left, one])} /></div>
    <${Difference} before=${text(left)} after=${text(right)} label=${`Difference of revisions ${left} and ${right}`} />
    <table><thead><tr><th>Revision</th><th>Written</th><th>Trust</th><th>Title</th></tr></thead><tbody>${texts.toReversed().map((one) => html`<tr><td>${one.revision}</td>
      <td><${When} time=${one.written_at} /></td><td>${one.trust}</td><td><${Shown} text=${one.title} /></td></tr>`)}</tbody></table>`;
}
