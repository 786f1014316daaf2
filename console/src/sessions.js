// Sessions with their summaries, as prompts get them, the newest first.
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";

import { call } from "./api.js";
import { Failed, Loading } from "./notice.js";
import { listSessions } from "./operations.js";
import { address, go } from "./place.js";
import { signedIn } from "./sign_in.js";
import { Shown, When } from "./text.js";

const PAGE = 50;

function Session({ session }) {
  return html`<li class="row"><div><h2><${Shown} text=${session.id} /></h2>
    <p class="excerpt">${session.summary ? html`<${Shown} text=${session.summary} />` : "No summary yet: it has not ended."}</p>
    <p class="about"><a href=${address(["sessions"], { project: session.project })}><${Shown} text=${session.project} /></a> · ${session.message_count} messages · from <${When} time=${session.started_at} />
      ${session.ended_at && html` to <${When} time=${session.ended_at} />`} · <a href=${address(["memories"], { project: session.project })}>memories of the project</a></p></div></li>`;
}

export function Sessions({ query }) {
  const project = query.project ?? "";
  const [state, setState] = useState({ sessions: [], busy: true });
  const read = (before, stop) => {
    setState({ ...before, busy: true, error: undefined });
    call(listSessions, { query: { project, limit: PAGE, cursor: before.next }, signal: stop?.signal }).then(
      ({ body, next }) => stop?.signal.aborted || setState({ sessions: [...before.sessions, ...body], next, busy: false }),
      (error) => stop?.signal.aborted || setState({ ...before, error, busy: false }));
  };
  useEffect(() => {
    const stop = new AbortController();
    read({ sessions: [] }, stop);
    return () => stop.abort();
  }, [project, signedIn.value]);
  const { sessions, next, busy, error } = state;
  return html`<h1>Sessions</h1><form class="filters" role="search" aria-label="Sessions" onSubmit=${(event) => { event.preventDefault(); go(["sessions"], { project: event.currentTarget.elements.project.value.trim() }); }}>
      <div class="field"><label for="sessions-project">Project</label><input id="sessions-project" name="project" defaultValue=${project} placeholder="all" maxlength="200" /></div><button>Show</button></form>
    ${error && html`<${Failed} error=${error} again=${() => read(state)} />`}
    <ol class="rows" aria-label="Sessions">${sessions.map((session) => html`<${Session} key=${session.id} session=${session} />`)}</ol>
    ${busy && html`<${Loading} what="sessions" />`}
    ${!busy && !error && !sessions.length && html`<p class="empty">${project ? html`No session of this project. <a href="#/sessions">All sessions</a>` : "No session yet: an agent's first turn begins one."}</p>`}
    ${!busy && next && html`<button class="more" onClick=${() => read(state)}>Show more</button>`}`;
}
