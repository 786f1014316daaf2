// Fields with their values, of any shape: what a runtime keeps has no fixed form.
import { isValidElement } from "preact";
import { html } from "htm/preact";

import { Shown } from "./text.js";

const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 1));

export function Fields({ rows }) {
  const there = rows.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return html`<dl>${there.map(([name, value]) => html`<div><dt>${name}</dt><dd>${isValidElement(value) ? value : html`<${Shown} text=${textOf(value)} />`}</dd></div>`)}</dl>`;
}

export function Values({ values }) {
  const rows = Object.entries(values ?? {});
  return rows.length ? html`<dl class="values">${rows.map(([name, value]) => html`<div><dt><${Shown} text=${name} /></dt><dd class="raw"><${Shown} text=${textOf(value)} /></dd></div>`)}</dl>` : html`<p class="empty">Nothing is kept here.</p>`;
}
