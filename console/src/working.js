// What agents keep for a while: items of a project, and the values that agents share.
import { html } from "htm/preact";

import { call } from "./api.js";
import { Values } from "./fields.js";
import { useLoaded } from "./loaded.js";
import { Failed, Loading } from "./notice.js";
import { findItems, getStats, listShared } from "./operations.js";
import { go } from "./place.js";
import { Shown, When } from "./text.js";

const NS_PER_S = 1e9;

function Items({ project }) {
  const { value, error, again } = useLoaded(project, (signal) => call(findItems, { query: { project, limit: 100 }, signal }));
  if (error) return html`<${Failed} error=${error} again=${again} />`;
  if (!value) return html`<${Loading} what="items" />`;
  if (!value.body.items.length) return html`<p class="empty">The project has no items. Choose another, or let an agent put one.</p>`;
  return html`<ol class="rows">${value.body.items.map((one) => html`<li class="row"><div><h3><${Shown} text=${one.key} /></h3>
    <p class="raw"><${Shown} text=${JSON.stringify(one.value, null, 1)} /></p>
    <p class="about">version ${one.version} · <${When} time=${one.created} />${one.ttl > 0 && ` · kept ${Math.round(one.ttl / NS_PER_S).toLocaleString()} s after its last use`}</p></div></li>`)}</ol>`;
}

function Shared() {
  const { value, error, again } = useLoaded("shared", (signal) => call(listShared, { signal }));
  if (error) return html`<${Failed} error=${error} again=${again} />`;
  if (!value) return html`<${Loading} what="shared memory" />`;
  return html`<${Values} values=${value.body} />`;
}

export function WorkingMemory({ query }) {
  const stats = useLoaded("stats", (signal) => call(getStats, { signal }));
  const project = query.project || "default";
  return html`<h1>Working memory</h1>
    <section><h2>Items</h2><form class="filters" onSubmit=${(event) => event.preventDefault()}><div class="field"><label for="items-project">Project</label>
      <input id="items-project" list="items-projects" value=${project} onChange=${(event) => go(["working"], { project: event.currentTarget.value }, { replace: true })} /></div>
      <datalist id="items-projects">${(stats.value?.body.projects ?? []).map((one) => html`<option value=${one} />`)}</datalist></form>
      <${Items} project=${project} /></section>
    <section><h2>Shared between agents</h2><${Shared} /></section>`;
}
