// The frame of the console: head, menu, and the page that the address names.
import { render } from "preact";
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import "@preact/signals";

import { facts, loadFacts } from "./api.js";
import { Conversation, Conversations } from "./conversations.js";
import { NewMemory } from "./editor.js";
import { List } from "./list.js";
import { Memory } from "./memory.js";
import { Merge } from "./merge.js";
import { Notice } from "./notice.js";
import { place } from "./place.js";
import { Recall } from "./recall.js";
import { Sessions } from "./sessions.js";
import { Person, SignIn } from "./sign_in.js";
import { WorkingMemory } from "./working.js";

const MENU = [["memories", "Memories"], ["new", "New"], ["recall", "Recall"], ["sessions", "Sessions"], ["conversations", "Conversations"], ["working", "Working memory"]];
const PAGES = {
  memories: [({ query }) => html`<h1 class="quiet">Memories</h1><${List} query=${query} />`, "Memories"],
  memory: [({ path }) => html`<${Memory} key=${path[1]} id=${path[1] ?? ""} />`, "Memory"],
  merge: [({ query }) => html`<${Merge} key=${query.ids} query=${query} />`, "Merge"],
  recall: [({ query }) => html`<${Recall} key=${JSON.stringify(query)} query=${query} />`, "Recall"],
  new: [NewMemory, "New memory"],
  sessions: [({ query }) => html`<${Sessions} key=${query.project ?? ""} query=${query} />`, "Sessions"],
  conversations: [Conversations, "Conversations"],
  conversation: [({ path }) => html`<${Conversation} key=${path[1]} id=${path[1] ?? ""} />`, "Conversation"],
  working: [WorkingMemory, "Working memory"],
};
const Nowhere = () => html`<h1>There is no such page</h1><p><a href="#/memories">All memories</a></p>`;

function App({ licences }) {
  const { path, query } = place.value;
  const name = path[0] ?? "memories";
  const [Page, title] = PAGES[name] ?? [Nowhere, "No such page"];
  const main = useRef(null), shown = useRef(null);
  const here = path.join("/");
  useEffect(() => {
    document.title = `${title} · Agent Memory`;
    if (shown.current !== null && shown.current !== here) main.current.focus();  // for who does not see that the page changed
    shown.current = here;
  }, [here]);
  return html`<a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); main.current.focus(); }}>Skip to the page</a>
    <header><strong>Agent Memory</strong><nav aria-label="Pages">${MENU.map(([to, text]) =>
      html`<a href=${"#/" + to} aria-current=${to === name ? "page" : undefined}>${text}</a>`)}</nav><${Person} /></header>
    ${facts.value.everybody && html`<p class="warning" role="note">Everybody who reaches this address reads and changes everything: the server asks nobody who they are.</p>`}
    <${SignIn} />
    <${Notice} />
    <main id="main" tabindex="-1" ref=${main}><${Page} path=${path} query=${query} /></main>
    <footer><a href="/openapi.json">The API of this page</a> · <a href=${licences}>Licences</a></footer>`;
}

const root = document.getElementById("app");
render(html`<${App} licences=${root.dataset.licences} />`, root);
loadFacts();
