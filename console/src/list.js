// The list of memories: filters that stay, rows in pages, marks for deleting many.
import { html } from "htm/preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { call } from "./api.js";
import { Filters, changedAt, comparesHere, trustOf } from "./filters.js";
import { useLoaded } from "./loaded.js";
import { Marks, plainTags } from "./marks.js";
import { MOST_MERGED } from "./merge.js";
import { Failed, Loading, changes } from "./notice.js";
import { getStats } from "./operations.js";
import { readOn } from "./paging.js";
import { address, go } from "./place.js";
import { Removal, restore } from "./removal.js";
import { signedIn } from "./sign_in.js";
import { Shown, When } from "./text.js";

const MOST_OF_TEXT = 240;

function Row({ row, marked, mark, filter }) {
  const deleted = filter.state === "deleted";
  const title = html`<${Shown} text=${row.title} />`;
  return html`<li class="row">
    <input type="checkbox" aria-label=${"Mark memory " + row.id} checked=${marked} disabled=${deleted} onChange=${() => mark(row)} />
    <div><h2>${deleted ? title : html`<a href=${address(["memory", row.id])}>${title}</a>`}</h2>
      <p class="excerpt"><${Shown} text=${row.content} most=${MOST_OF_TEXT} /></p>
      <p class="about"><span><${Shown} text=${row.type} /></span> · <a href=${address(["memories"], { ...filter, project: row.project })}><${Shown} text=${row.project} /></a> · ${row.scope} · ${trustOf(row)} · <${When} time=${changedAt(row)} /><${Marks} row=${row} />
        ${plainTags(row).map((tag) => html` <a class="tag" href=${address(["memories"], { ...filter, tag })}><${Shown} text=${tag} /></a>`)}
        ${deleted && html` <button onClick=${() => restore([row])}>Restore</button>`}</p></div></li>`;
}

function Empty({ filter, looked, next }) {
  const filtered = Object.values(filter).some(Boolean);
  if (next) return null;
  if (filter.state === "deleted") return html`<p class="empty">No deleted memory fits. <a href=${address(["memories"], { ...filter, state: "" })}>Show live ones</a>.</p>`;
  if (filtered) return html`<p class="empty">No memory fits the filter above; ${looked.toLocaleString()} were looked at. Change a field, or <a href="#/memories">clear the filter</a>.</p>`;
  return html`<p class="empty">Nothing is remembered yet. <a href="#/new">Write the first memory</a>, or connect an agent: agent-memory setup.</p>`;
}

// The rows of a page are drawn once: 10,000 of them must not be drawn again when a hundred more come.
function Page({ rows, marked, mark, filter, first }) {
  const marks = rows.filter((row) => marked.has(row.id)).map((row) => row.id).join();
  return useMemo(() => html`<ol class="rows" start=${first} aria-label=${"Memories from " + first}>${rows.map((row) =>
    html`<${Row} key=${row.id} row=${row} marked=${marked.has(row.id)} mark=${mark} filter=${filter} />`)}</ol>`, [rows, marks]);
}

// Pages of one filter, growing. `key` changes with the filter, and with what was changed here.
function usePages(filter, key) {
  const [state, setState] = useState({ pages: [], looked: 0, busy: true });
  const stop = useRef(null);
  const read = (before) => {
    stop.current?.abort();
    const mine = (stop.current = new AbortController());
    setState({ ...before, busy: true, error: undefined });
    readOn(filter, before.next, mine.signal).then(
      ({ rows, looked, ...page }) => mine.signal.aborted || setState({ ...page, pages: rows.length ? [...before.pages, rows] : before.pages, looked: before.looked + looked, busy: false }),
      (error) => mine.signal.aborted || setState({ ...before, error, busy: false }));
  };
  useEffect(() => {
    read({ pages: [], looked: 0 });
    return () => stop.current?.abort();
  }, [key]);
  return [state, () => read(state)];
}

function Bar({ count, looked, next, busy, filter, total, marked, markAll, merge, ask }) {
  return html`<div class="bar"><span role="status">${(!busy || count > 0) && `${count.toLocaleString()}${next ? "+" : ""} shown`}${comparesHere(filter) && !busy && ` of ${looked.toLocaleString()} looked at`}${total !== undefined && ` · ${total.toLocaleString()} in all`}</span>
    ${filter.state !== "deleted" && count > 0 && html`<button onClick=${markAll}>${marked.size ? "Unmark all" : "Mark all shown"}</button>`}
    ${marked.size > 1 && marked.size <= MOST_MERGED && html`<button onClick=${merge}>Merge ${marked.size} …</button>`}
    ${marked.size > 0 && html`<button class="danger" onClick=${ask}>Delete ${marked.size} …</button>`}</div>`;
}

export function List({ query }) {
  const filter = Object.fromEntries(Object.entries(query).filter(([, value]) => value));
  const key = JSON.stringify(filter) + changes.value + "/" + signedIn.value;
  const [{ pages, next, looked, partial, busy, error }, more] = usePages(filter, key);
  const [marked, setMarked] = useState(new Map());
  const [asking, setAsking] = useState(false);
  const stats = useLoaded("stats" + changes.value, (signal) => call(getStats, { signal }));
  useEffect(() => setMarked(new Map()), [key]);
  const mark = (row) => setMarked((before) => {
    const after = new Map(before);
    if (!after.delete(row.id)) after.set(row.id, row);
    return after;
  });
  const count = pages.reduce((sum, rows) => sum + rows.length, 0);
  const markAll = () => setMarked(new Map(marked.size ? [] : pages.flat().map((row) => [row.id, row])));
  let first = 1 - (pages[0]?.length ?? 0);
  return html`<${Filters} query=${query} projects=${stats.value?.body.projects ?? []} />
    <${Bar} ...${{ count, looked, next, busy, filter, marked, markAll }} total=${stats.value?.body.total_observations} merge=${() => go(["merge"], { ids: [...marked.keys()].join() })} ask=${() => setAsking(true)} />
    ${error && html`<${Failed} error=${error} again=${more} />`}
    ${pages.map((rows, at) => html`<${Page} key=${at} rows=${rows} marked=${marked} mark=${mark} filter=${filter} first=${(first += pages[at ? at - 1 : 0].length)} />`)}
    ${busy && html`<${Loading} what="memories" />`}
    ${!busy && !error && !count && html`<${Empty} filter=${filter} looked=${looked} next=${next} />`}
    ${!busy && partial && html`<p class="empty">The answer ends at its limit: narrow the filter to see the rest.</p>`}
    ${!busy && next && html`<button class="more" onClick=${more}>${count ? "Show more" : `Nothing among ${looked.toLocaleString()}: look further`}</button>`}
    ${asking && html`<${Removal} rows=${[...marked.values()]} done=${() => setAsking(false)} cancel=${() => setAsking(false)} />`}`;
}
