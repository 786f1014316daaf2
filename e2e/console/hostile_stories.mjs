// Texts that want to be markup or to move others: a thousand of them run no script, and each hidden character has a sign.
import assert from "node:assert/strict";

import { foreign } from "./browser.mjs";

const COUNT = 1000;
const MARKUP = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "<iframe srcdoc='<script>parent.alert(1)</script>'>", "<a href='javascript:alert(1)'>x</a>", "<style>*{display:none}</style>", "<base href=//x.invalid>", "<form action=//x.invalid><input name=q>", "<math><mtext></mtext><mglyph><style><img src=x onerror=alert(1)>", "<body onload=alert(1)>", "<details open ontoggle=alert(1)>", "<object data=data:text/html,<script>alert(1)</script>>", "<template shadowrootmode=open><script>alert(1)</script></template>", "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>", "<link rel=stylesheet href=//x.invalid>", "<meta http-equiv=refresh content='0;url=//x.invalid'>", "javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "[x](javascript:alert(1))", "![x](//x.invalid/a.png)", "${alert(1)}", "{{constructor.constructor('alert(1)')()}}", "&lt;script&gt;alert(1)&lt;/script&gt;", "\\u003cscript\\u003ealert(1)\\u003c/script\\u003e", "__proto__", "constructor"];
const AROUND = [["", ""], ["\"'`>", ""], ["</title></textarea></pre></bdi>", ""], ["<!--", "-->"], ["]]>", "<![CDATA["], ["\u202e", "\u202c"], ["\u2066", ""], ["\ufeff", "\u200b"], ["", "\u0007"], ["%3C", "%3E"], ["\r\n\r\n", "\n"], ["{\"a\": \"", "\"}"], ["界".repeat(50), ""]];

const texts = Array.from({ length: COUNT }, (_, n) => {
  const [before, after] = AROUND[n % AROUND.length];
  const [one, two] = [MARKUP[n % MARKUP.length], MARKUP[(n * 7 + 3) % MARKUP.length]];
  return `${before}${one}${after}${n}${n % 3 ? "" : two}`;
});

export const hostileStories = [
  { name: `${COUNT} hostile texts run no script and bring no element`, async run({ page, server }) {
    const ids = [];
    for (const [n, text] of texts.entries())
      ids.push(await server.save({ project: "hostile" + (n % 4 ? "" : text.slice(0, 60)), session_id: "h" + n, title: text, content: text + "\n" + text, type: text.slice(0, 40), tags: [text.slice(0, 90)], source: { origin: "agent", tool: text, rule: text } }));
    await page.at("#/memories");
    let shown = 0;
    while (shown < COUNT) {
      await page.waitForFunction((before) => document.querySelectorAll(".rows h2").length > before, shown);
      shown = await page.locator(".rows h2").count();
      assert.deepEqual(await foreign(page), []);
      const more = page.getByRole("button", { name: "Show more" });
      if (await more.count()) await more.click();
    }
    for (let n = 0; n < COUNT; n += 10) {
      await page.evaluate((to) => (location.hash = to), "#/memory/" + ids[n]);
      await page.waitForFunction((text) => document.querySelector("pre.text")?.textContent.includes(text), String(n));
      assert.deepEqual(await foreign(page), [], texts[n]);
    }
  } },
  { name: "hostile words in the address run no script", async run({ page }) {
    for (const text of texts.slice(0, 60)) {
      await page.at("#/memories?q=&project=" + encodeURIComponent(text) + "&tag=" + encodeURIComponent(text));
      await page.waitForFunction(() => !document.querySelector(".loading"));
      assert.deepEqual(await foreign(page), []);
      await page.at("#/conversation/" + encodeURIComponent(text));
      assert.deepEqual(await foreign(page), []);
    }
  } },
  { name: "hostile messages, fields and keys run no script", async run({ page, server }) {
    await server.ask("POST", "/conversations/hostile/messages", { messages: texts.slice(0, 200).map((content) => ({ role: "user", content })) });
    await server.ask("PUT", "/working-memory/hostile", { fields: Object.fromEntries(texts.slice(0, 50).map((text, n) => ["k" + n, text])) });
    await page.at("#/conversation/hostile");
    await page.waitForFunction(() => document.querySelectorAll(".message").length >= 100);
    assert.deepEqual(await foreign(page), []);
  } },
  { name: "invisible, bidirectional and control characters are shown as signs", async run({ page, server }) {
    const hidden = ["\u202e", "\u2066", "\u200b", "\u2060", "\u00ad", "\ufeff", "\u0007", "\u2028", "\u3164", "\u{e0041}"];
    const id = await server.save({ project: "signs", title: "Left\u202eright", content: hidden.join("x") + "\tline\n\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u2764\ufe0f" });
    await page.at("#/memory/" + id);
    await page.locator("pre.text .sign").first().waitFor();
    const signs = await page.locator("pre.text .sign").allTextContents();
    assert.deepEqual(signs, hidden.map((one) => "U+" + one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")));
    assert.equal(await page.locator("h1 .sign").textContent(), "U+202E");
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByText("11 invisible or control characters").waitFor();
  } },
  { name: "a text of 1 MB shows its beginning, and the whole as a file", async run({ page, server }) {
    await server.ask("POST", "/conversations/large/messages", { messages: [{ role: "user", content: "0123456789abcde\n".repeat(62_500) }] });
    await page.at("#/conversation/large");
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download all" }).first().click();
    const stream = await (await waiting).createReadStream();
    let bytes = 0;
    for await (const chunk of stream) bytes += chunk.length;
    assert.equal(bytes, 1000000);
    assert.ok((await page.locator("pre.text").first().textContent()).length <= (256 << 10) + 1);
  } },
  { name: "no other page can put the console into a frame", async run({ page, server, browser }) {
    const context = await browser.newContext();
    const other = await context.newPage();
    const refused = other.waitForEvent("console", (message) => /frame/i.test(message.text()));
    await other.setContent(`<iframe src="${server.url}/ui/"></iframe>`);
    assert.match((await refused).text(), /frame-ancestors/);
    assert.equal(await other.frames()[1].locator("#app").count(), 0);
    await context.close();
    await page.at("");
  } },
  { name: "a page of another origin reads and changes nothing", async run({ page, server, browser }) {
    const id = await server.save({ project: "origin", title: "Safe", content: "safe" });
    for (const headers of [{ Origin: "http://evil.example" }, { Origin: "null" }, { Origin: "http://localhost.evil.example" }]) {
      const answer = await fetch(`${server.url}/observations/${id}`, { method: "DELETE", headers });
      assert.equal(answer.status, 403, JSON.stringify(headers));
    }
    await page.at("#/memory/" + id);
    await page.getByRole("heading", { name: "Safe" }).waitFor();
  } },
];
