// Signing in where the server asks who calls: a token goes to the server once, and the browser keeps a cookie that no script
// reads. The page below stays as it is, so that what was written survives.
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useState } from "preact/hooks";

import { facts, loadFacts, signedOut } from "./api.js";
import { Shown } from "./text.js";

export const signedIn = signal(0);  // grows with each sign-in: what was refused is asked for again

async function send(method, body) {
  const answer = await fetch("/ui/session", { method, headers: { "Content-Type": "application/json" }, body: body && JSON.stringify(body), credentials: "same-origin" }).catch(() => null);
  if (!answer) return "The server does not answer. Check that it runs, then try again.";
  if (answer.ok) return null;
  return (await answer.json().catch(() => ({}))).error ?? `The server answered ${answer.status}.`;
}

export function SignIn() {
  const [token, setToken] = useState("");
  const [error, setError] = useState(null);
  const { auth, audience, caller } = facts.value;
  if (auth !== "kubernetes" || (caller && !signedOut.value)) return null;
  async function submit(event) {
    event.preventDefault();
    const refused = await send("POST", { token });
    setError(refused);
    if (refused) return;
    setToken("");
    signedOut.value = false;
    await loadFacts();
    signedIn.value += 1;
  }
  return html`<section class="sign-in" aria-labelledby="sign-in"><h2 id="sign-in">Sign in</h2>
    <p>Make a token of a ServiceAccount that may use this memory, and paste it:</p>
    <pre class="text" tabindex="0" aria-label="Command">kubectl create token NAME -n NAMESPACE --duration 1h --audience ${audience}</pre>
    <form class="bar" onSubmit=${submit}><label for="token">Token</label>
      <input id="token" type="password" autocomplete="off" spellcheck=${false} required value=${token} onInput=${(event) => setToken(event.currentTarget.value)} />
      <button class="main">Sign in</button></form>
    ${error && html`<p class="failed" role="alert"><${Shown} text=${error} /></p>`}</section>`;
}

export function Person() {
  const { caller } = facts.value;
  if (!caller) return null;
  const leave = () => send("DELETE").then(() => location.reload());
  return html`<span class="about"><${Shown} text=${caller} /> <button onClick=${leave}>Sign out</button></span>`;
}
