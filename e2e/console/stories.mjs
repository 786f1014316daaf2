// What people look at: lists, filters, one memory, conversations; with a keyboard, a phone, in the dark.
import assert from "node:assert/strict";

import { accessibility, open } from "./browser.mjs";
import { Server } from "./server.mjs";

const titles = (page) => page.locator(".rows h2").allTextContents();
const shows = async (page, wanted) => {
  // The list of the address before may have as many rows: waits for the titles, and says below which ones came instead.
  await page.waitForFunction((titles) => !document.querySelector(".loading") && JSON.stringify([...document.querySelectorAll(".rows h2")].map((one) => one.textContent).sort()) === titles,
    JSON.stringify([...wanted].sort()), { timeout: 20_000 }).catch(() => {});
  assert.deepEqual((await titles(page)).sort(), [...wanted].sort());
};
export const conversation = async (server, id) => {
  await server.ask("POST", `/conversations/${id}/messages`, { messages: [{ role: "user", content: "Why <b>did</b> it time out?" }, { role: "assistant", content: "The pool was full.", tool_calls: [{ id: "t", name: "bash", arguments: { command: "ss -s" } }] }] });
  await server.ask("PUT", `/working-memory/${id}`, { fields: { hypothesis: "pool", tries: 3 } });
};

export const stories = [
  { name: "an empty memory says what to do next", async run({ browser }) {
    const empty = await new Server().start();
    const page = await open(browser, empty.url);
    await page.at("");
    await page.getByText("Nothing is remembered yet").waitFor();
    await page.getByRole("link", { name: "Write the first memory" }).click();
    await page.getByRole("heading", { name: "New memory" }).waitFor();
    assert.deepEqual(await page.check(), []);
    await page.context().close();
    await empty.end();
  } },
  { name: "/ui leads to the page, and the page names no other host", async run({ page, server }) {
    await page.goto(server.url + "/ui");
    await page.waitForSelector("main h1", { state: "attached" });
    assert.equal(page.url(), server.url + "/ui/");
    assert.equal(await page.title(), "Memories · Agent Memory");
  } },
  { name: "the list has the newest memory first", async run({ page, server }) {
    for (const n of [1, 2, 3]) await server.save({ project: "newest", title: "Number " + n, content: "text " + n });
    await page.at("#/memories?project=newest");
    await page.locator(".rows h2").nth(2).waitFor();
    assert.deepEqual(await titles(page), ["Number 3", "Number 2", "Number 1"]);
  } },
  { name: "words and questions find memories", async run({ page, server }) {
    await server.save({ project: "find", title: "Pool", content: "The connection pool has forty connections." });
    await server.save({ project: "find", title: "Colour", content: "The button is green." });
    await page.at("#/memories?project=find");
    await page.getByLabel("Search").fill("how many connections has the pool?");
    await shows(page, ["Pool"]);
    assert.match(page.url(), /q=how\+many/);
  } },
  { name: "project, type and scope narrow the list by the server", async run({ page, server }) {
    await server.save({ project: "narrow", title: "One", content: "one", type: "lesson" });
    await server.save({ project: "narrow", title: "Two", content: "two", type: "decision" });
    await server.save({ project: "narrow", title: "Three", content: "three", type: "lesson", scope: "global" });
    await page.at("");
    await page.getByLabel("Project").fill("narrow");
    await shows(page, ["One", "Two", "Three"]);
    await page.getByLabel("Type").fill("lesson");
    await shows(page, ["One", "Three"]);
    await page.getByLabel("Scope").selectOption("global");
    await shows(page, ["Three"]);
  } },
  { name: "tag, trust, tool and day narrow the list here", async run({ page, server }) {
    await server.save({ project: "here", title: "Tagged", content: "a", tags: ["db"], source: { origin: "agent", tool: "bash" } });
    await server.save({ project: "here", title: "Ruled", content: "b", tags: ["web"], source: { origin: "rule", rule: "errors" } });
    await server.save({ project: "here", title: "Said", content: "c" });
    for (const [filter, wanted] of [["tag=DB", ["Tagged"]], ["trust=rule", ["Ruled"]], ["trust=user", ["Said"]], ["by=bash", ["Tagged"]], ["by=errors", ["Ruled"]], ["from=2001-01-01", ["Tagged", "Ruled", "Said"]], ["to=2001-01-01", []]]) {
      await page.at("#/memories?project=here&" + filter);
      await shows(page, wanted);
    }
  } },
  { name: "a filter that finds nothing stays visible, and can be cleared", async run({ page, server }) {
    await server.save({ project: "stays", content: "stays" });
    await page.at("#/memories?project=stays&type=nothing&tag=none");
    await page.getByText("No memory fits the filter above").waitFor();
    assert.equal(await page.getByLabel("Type").inputValue(), "nothing");
    assert.equal(await page.getByLabel("Tag").inputValue(), "none");
    await page.getByRole("link", { name: "Clear filters" }).click();
    await page.locator(".rows h2").first().waitFor();
    assert.equal(await page.getByLabel("Type").inputValue(), "");
  } },
  { name: "the address of a filtered list shows the same to another person", async run({ page, server, browser }) {
    await server.save({ project: "share", title: "Theirs & mine", content: "shared", tags: ["a b"] });
    await server.save({ project: "share", title: "Other", content: "other" });
    await page.at("#/memories?project=share");
    await page.getByLabel("Tag").fill("a b");
    await shows(page, ["Theirs & mine"]);
    const other = await open(browser, server.url);
    await other.goto(page.url());
    await shows(other, ["Theirs & mine"]);
    await other.context().close();
  } },
  { name: "pages follow each other without gaps or repetitions while others write", async run({ page, server }) {
    for (let n = 0; n < 230; n += 1) await server.save({ project: "pages", title: "Row " + n, content: "page text " + n });
    await page.at("#/memories?project=pages");
    await page.waitForFunction(() => document.querySelectorAll(".rows h2").length === 50);
    await server.save({ project: "pages", title: "Late", content: "late" });
    for (const count of [100, 150, 200, 230]) {
      await page.getByRole("button", { name: "Show more" }).click();
      await page.waitForFunction((wanted) => document.querySelectorAll(".rows h2").length === wanted, count);
    }
    const seen = await titles(page);
    assert.equal(new Set(seen).size, 230);
    assert.equal(await page.getByRole("button", { name: "Show more" }).count(), 0);
  } },
  { name: "a filter of the browser looks further only when asked", async run({ page, server }) {
    await page.at("#/memories?project=pages&tag=nowhere");
    await page.getByText("No memory fits the filter above").waitFor();
    await page.getByText("231 of 231 looked at").or(page.getByText("of 231 looked at")).waitFor();
  } },
  { name: "one memory shows where it comes from", async run({ page, server }) {
    const id = await server.save({ project: "one", session_id: "turn-7", title: "Whole", content: "line 1\nline 2", type: "bugfix", tags: ["x", "y"], topic_key: "key-1", source: { origin: "agent", tool: "bash", tool_call_id: "call-9" } });
    await page.at("#/memories?project=one");
    await page.getByRole("link", { name: "Whole" }).click();
    await page.getByRole("heading", { name: "Whole" }).waitFor();
    for (const text of ["bugfix", "x, y", "key-1", "turn-7", "bash", "call-9"]) await page.getByText(text, { exact: true }).first().waitFor();
    assert.equal(await page.locator("pre.text").textContent(), "line 1\nline 2");
    assert.match(page.url(), new RegExp(`#/memory/${id}$`));
  } },
  { name: "a memory shows its neighbours in the session", async run({ page, server }) {
    const ids = [];
    for (const n of [1, 2, 3]) ids.push(await server.save({ project: "beside", title: "Step " + n, content: "step " + n }));
    await page.at("#/memory/" + ids[1]);
    await page.getByText("Beside it in its session").click();
    await page.getByRole("link", { name: "Step 3" }).click();
    await page.getByRole("heading", { name: "Step 3", exact: true }).waitFor();
  } },
  { name: "a memory that is not there says so with the next step", async run({ page }) {
    for (const id of ["999999", "0", "x", "%00", "-1"]) {
      await page.at("#/memory/" + id);
      await page.getByRole("alert").waitFor();
      await page.getByRole("link", { name: "All memories" }).waitFor();
    }
  } },
  { name: "an address that names no page says so", async run({ page }) {
    await page.at("#/nowhere/%E0%A4%A");
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  } },
  { name: "conversations show messages, blocks and working memory as text", async run({ page, server }) {
    await conversation(server, "c-1");
    await page.at("#/conversations");
    await page.getByRole("link", { name: "c-1" }).click();
    await page.getByText("Why <b>did</b> it time out?").first().waitFor();
    await page.getByText('"ss -s"').waitFor();
    await page.getByText("Block 0").waitFor();
    await page.getByText("hypothesis").waitFor();
    await page.getByText("No checkpoints.").waitFor();
  } },
  { name: "sessions show their summaries, by project", async run({ page, server }) {
    for (const project of ["alpha", "beta"]) {
      await server.ask("POST", "/sessions", { id: "session of " + project, project });
      await server.ask("POST", `/sessions/session%20of%20${project}/end`, { messages: [{ role: "user", content: "Fix the <b>" + project }, { role: "assistant", content: "Done." }] });
    }
    await page.at("#/sessions?project=alpha");
    await page.getByText("Fix the <b>alpha").waitFor();
    assert.equal(await page.getByText("Fix the <b>beta").count(), 0);
    await page.getByLabel("Project").fill("beta");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.getByText("Fix the <b>beta").waitFor();
    await page.at("#/sessions?project=none");
    await page.getByText("No session of this project").waitFor();
  } },
  { name: "items and shared values are shown", async run({ page, server }) {
    await server.ask("PUT", "/items/colour?project=items", { value: { shade: "green" } });
    await server.ask("PUT", "/shared/coder/plan?as=coder", { step: 4 });
    await page.at("#/working?project=items");
    await page.getByText("colour").waitFor();
    await page.getByText("shared:coder:plan").waitFor();
  } },
  { name: "a server that went away is named, and the page goes on when it is back", async run({ browser }) {
    const server = await new Server().start();
    await server.save({ title: "Survivor", content: "still here" });
    const page = await open(browser, server.url);
    await page.at("");
    await page.getByRole("link", { name: "Survivor" }).waitFor();
    await server.stop();
    await page.getByRole("link", { name: "Survivor" }).click();
    await page.getByText("The server does not answer.").waitFor();
    await server.start();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Survivor" }).waitFor();
    assert.deepEqual(await page.check(), []);
    await page.context().close();
    await server.end();
  } },
  { name: "without authentication off loopback every page warns", async run({ browser }) {
    const server = await new Server("--insecure", "--ui", "true").start();
    const page = await open(browser, server.url);
    for (const path of ["", "#/new", "#/conversations"]) {
      await page.at(path);
      await page.getByText("Everybody who reaches this address").waitFor();
    }
    await page.context().close();
    await server.end();
    const unasked = await new Server("--insecure").start();
    assert.equal((await fetch(unasked.url + "/ui/")).status, 404);
    await unasked.end();
  } },
  { name: "a narrow screen needs no sideways scrolling", page: { width: 360, height: 640 }, async run({ page, server }) {
    const id = await server.save({ project: "n".repeat(200), session_id: "narrow", title: "W".repeat(500), content: "x".repeat(3000), tags: ["t".repeat(100)] });
    await conversation(server, "narrow");
    for (const path of ["", "#/memory/" + id, "#/new", "#/conversations", "#/conversation/narrow", "#/working"]) {
      await page.at(path);
      await page.waitForFunction(() => !document.querySelector(".loading"));
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${path} is ${over} px too wide`);
    }
  } },
  { name: "the browser keeps nothing", async run({ page, server }) {
    await server.save({ project: "kept", content: "kept" });
    await page.at("");
    await page.locator(".rows h2").first().waitFor();
    assert.deepEqual(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]), [0, 0, ""]);
  } },
  ...[false, true].map((dark) => ({ name: `axe finds nothing serious on any page, ${dark ? "dark" : "light"}`, page: { axe: true, dark }, async run({ page, server }) {
    const id = await server.save({ project: "axe", title: "Checked", content: "a\u202eb", tags: ["t"] });
    await server.ask("PATCH", "/observations/" + id, { content: "another text" });
    await conversation(server, "axe");
    for (const path of ["#/memories?project=axe", "#/memories?project=axe&type=none", "#/memory/" + id, "#/memory/999999", "#/new", "#/conversations", "#/conversation/axe", "#/working?project=axe", "#/nowhere"]) {
      await page.at(path);
      await page.waitForFunction(() => !document.querySelector(".loading"));
      if (path.startsWith("#/memory/" + id)) await page.locator("summary").first().click();
      assert.deepEqual(await accessibility(page), [], path);
    }
    await page.at("#/memories?project=axe");
    await page.getByRole("checkbox").first().check();
    await page.getByRole("button", { name: "Delete 1" }).click();
    assert.deepEqual(await accessibility(page), [], "the dialog");
    await page.getByRole("button", { name: "Keep them" }).click();
  } })),
];
