// What happened last and how to undo it, read out by screen readers; and the three states of anything that loads.
import { signal } from "@preact/signals";
import { html } from "htm/preact";

const notice = signal(null);
// Grows with each delete and restore, so that a list behind the message is read again.
export const changes = signal(0);

export const say = (text, undo) => (notice.value = { text, undo });
export const sayError = (error) => say(`${error.message} ${error.remedy ?? ""}`);

export function Notice() {
  const now = notice.value;
  const undo = async () => {
    notice.value = { text: "Undoing …" };
    try {
      say(await now.undo());
    } catch (error) {
      sayError(error);
    }
  };
  return html`<div class="notice" role="status" aria-live="polite">${now && html`<span>${now.text}</span>
    ${now.undo && html`<button onClick=${undo}>Undo</button>`}
    <button onClick=${() => (notice.value = null)} aria-label="Close the message">✕</button>`}</div>`;
}

export function Failed({ error, again }) {
  return html`<div class="failed" role="alert"><p><strong>${error.message}</strong></p><p>${error.remedy}</p>
    ${again && html`<button onClick=${again}>Try again</button>`} <a href="#/memories">All memories</a></div>`;
}

export const Loading = ({ what }) => html`<p class="loading" role="status">Loading ${what} …</p>`;
