// The address after '#': "#/memories?project=billing". It names a page and its filter, never a secret, and is not sent to
// the server, so that it can be shared and found in no log.
import { signal } from "@preact/signals";

function read() {
  const [path, query = ""] = location.hash.replace(/^#/, "").split(/\?(.*)/s);
  return { path: path.split("/").filter(Boolean).map(decoded), query: Object.fromEntries(new URLSearchParams(query)) };
}

function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export const place = signal(read());
addEventListener("hashchange", () => (place.value = read()));

export function address(path, query = {}) {
  const kept = Object.entries(query).filter(([, value]) => value !== "" && value != null);
  const words = new URLSearchParams(kept).toString();
  return "#/" + path.map(encodeURIComponent).join("/") + (words && "?" + words);
}

export function go(path, query, { replace = false } = {}) {
  const to = address(path, query);
  if (!replace) return void (location.hash = to);
  history.replaceState(null, "", to);
  place.value = read();
}
