// Conversations of who looks: messages, blocks, working memory and checkpoints of one.
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { call } from "./api.js";
import { Values } from "./fields.js";
import { useLoaded } from "./loaded.js";
import { Failed, Loading } from "./notice.js";
import { getMessages, getWorkingMemory, listBlocks, listCheckpoints, listConversations } from "./operations.js";
import { address } from "./place.js";
import { Shown, When, Whole } from "./text.js";

// A list whose answers have `next_cursor`; `ask(cursor, signal)` → an answer, `rows` its rows.
function Pages({ name, ask, rows, children, empty }) {
  const [cursors, setCursors] = useState([undefined]);
  return html`${cursors.map((cursor, at) => html`<${Page} key=${at} name=${name + at} what=${name} cursor=${cursor} ask=${ask} rows=${rows} empty=${at ? null : empty}
    more=${at === cursors.length - 1 && ((next) => setCursors([...cursors, next]))}>${children}<//>`)}`;
}

function Page({ name, what, cursor, ask, rows, empty, more, children }) {
  const { value, error, again } = useLoaded(name, (signal) => ask(cursor, signal));
  if (error) return html`<${Failed} error=${error} again=${again} />`;
  if (!value) return html`<${Loading} what=${what} />`;
  const found = rows(value.body), next = value.body.next_cursor;
  if (!found.length && empty) return html`<p class="empty">${empty}</p>`;
  return html`<ol class="rows">${found.map(children)}</ol>${more && next && html`<button class="more" onClick=${() => more(next)}>Show more</button>`}`;
}

export function Conversations() {
  return html`<h1>Conversations</h1><${Pages} name="conversations" rows=${(body) => body.conversations} empty="No conversation is kept here. Agents with working memory write them; a sidecar keeps its own."
    ask=${(cursor, signal) => call(listConversations, { query: { limit: 50, cursor }, signal })}>${(one) => html`<li class="row"><div>
      <h2><a href=${address(["conversation", one.id])}><${Shown} text=${one.id} /></a></h2>
      <p class="about">${one.state} · ${one.message_count} messages · <${When} time=${one.updated_at} /></p></div></li>`}<//>`;
}

const Message = (one) => html`<li class="row message"><div><h3>${one.sequence} · ${one.role}${one.is_error && " · error"}</h3>
  ${one.content && html`<${Whole} text=${one.content} name=${`message-${one.sequence}.txt`} />`}
  ${(one.tool_calls ?? []).map((made) => html`<p class="about raw"><${Shown} text=${JSON.stringify(made)} /></p>`)}</div></li>`;

const Block = (one) => html`<li class="row"><div><h3>Block ${one.block}: <${Shown} text=${one.query} /></h3>
  <p class="excerpt"><${Shown} text=${one.summary} /></p>
  <p class="about">${one.state} · messages ${one.from}–${one.to} · ${one.tokens} tokens · <${When} time=${one.opened_at} /></p></div></li>`;

const Checkpoint = (one) => html`<li class="row"><div class="raw"><${Shown} text=${JSON.stringify(one, null, 1)} /></div></li>`;

function Working({ id }) {
  const { value, error, again } = useLoaded(id, (signal) => call(getWorkingMemory, { at: { conversation_id: id }, signal }));
  if (error) return html`<${Failed} error=${error} again=${again} />`;
  if (!value) return html`<${Loading} what="working memory" />`;
  const { fields, expires_at: expires, version, bytes } = value.body;
  return html`<${Values} values=${fields} />${version > 0 && html`<p class="about">version ${version} · ${bytes} bytes · expires <${When} time=${expires} /></p>`}`;
}

export function Conversation({ id }) {
  const at = { id };
  const ask = (operation, more = {}) => (cursor, signal) => call(operation, { at, query: { ...more, ...(cursor && { cursor }) }, signal });
  return html`<h1><${Shown} text=${id} /></h1>
    <section><h2>Messages</h2><${Pages} name=${"messages " + id} rows=${(body) => body.messages} ask=${ask(getMessages, { limit: 100 })} empty="No messages.">${Message}<//></section>
    <section><h2>Blocks</h2><${Pages} name=${"blocks " + id} rows=${(body) => body.blocks} ask=${ask(listBlocks)} empty="No blocks.">${Block}<//></section>
    <section><h2>Working memory</h2><${Working} id=${id} /></section>
    <section><h2>Checkpoints</h2><${Pages} name=${"checkpoints " + id} rows=${(body) => body.checkpoints} ask=${ask(listCheckpoints)} empty="No checkpoints.">${Checkpoint}<//></section>`;
}
