// A value that is asked for when its key changes: undefined while it loads, then { value } or { error }.
import { useEffect, useState } from "preact/hooks";

import { signedIn } from "./sign_in.js";

export function useLoaded(key, ask) {
  const [state, setState] = useState({ key: undefined });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    ask(stop.signal).then(
      (value) => stop.signal.aborted || setState({ key, value }),
      (error) => stop.signal.aborted || setState({ key, error }));
    return () => stop.abort();
  }, [key, round]);
  useEffect(() => {
    if (state.error?.status === 401) setRound((n) => n + 1);
  }, [signedIn.value]);
  return { ...(state.key === key ? state : {}), again: () => setRound((n) => n + 1) };
}
