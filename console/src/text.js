// Foreign text on the page: text nodes only, with a sign for each character that a reader would not see or that would move
// others (control, format, bidirectional, separators, fillers, tags, private use).
import { html } from "htm/preact";

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;
const EACH = new RegExp(HIDDEN.source, "gu");
export const MOST_SHOWN = 256 << 10;

export const nameOf = (character) => "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
// Line ends and tabs show by themselves; inside an emoji a selector or a joiner shows as its picture.
const STAYS = /(?:[\n\t]|\r(?=\n)|(?<=\p{Emoji})\ufe0f|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic}))/uy;
function stays(text, at) {
  STAYS.lastIndex = at;
  return STAYS.test(text);
}

// → an array of texts and signs.
export function pieces(text) {
  const out = [];
  let done = 0;
  for (const found of text.matchAll(EACH)) {
    if (stays(text, found.index)) continue;
    if (found.index > done) out.push(text.slice(done, found.index));
    out.push({ sign: nameOf(found[0]) });
    done = found.index + found[0].length;
  }
  if (done < text.length) out.push(text.slice(done));
  return out;
}

export const countHidden = (text) => pieces(text).filter((piece) => piece.sign).length;

export function Shown({ text = "", most = MOST_SHOWN }) {
  const all = String(text);
  const part = all.length > most ? all.slice(0, most) : all;
  return html`<bdi>${pieces(part).map((piece) => (piece.sign ? html`<span class="sign">${piece.sign}</span>` : piece))}${part.length < all.length && "…"}</bdi>`;
}

// A text of any length: above the limit its beginning, and the whole as a file.
export function Whole({ text = "", name }) {
  return html`<pre class="text" tabindex="0" aria-label="Text"><${Shown} text=${text} /></pre>
    ${text.length > MOST_SHOWN && html`<p>These are the first ${MOST_SHOWN.toLocaleString()} of ${text.length.toLocaleString()} characters.
      <button onClick=${() => download(text, name)}>Download all</button></p>`}`;
}

export function download(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function When({ time }) {
  const read = new Date(time);
  return time && !Number.isNaN(+read) ? html`<time datetime=${time} title=${time}>${read.toLocaleString()}</time>` : "–";
}
