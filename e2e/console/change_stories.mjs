// What people change: writing, editing, two editors, deleting and its undo; by keyboard alone, with a server that fails.
import assert from "node:assert/strict";

const saved = async (server, id) => server.ask("GET", "/observations/" + id);
const edit = async (page, id) => {
  await page.at("#/memory/" + id);
  await page.getByRole("button", { name: "Edit" }).click();
};

export const changeStories = [
  { name: "a person writes a memory, which is theirs", async run({ page, server }) {
    await page.at("#/new");
    for (const [label, text] of [["Project", "written"], ["Title", "By hand"], ["Type", "preference"], ["Tags, separated by commas", "a, b ,, c"], ["Content", "Likes\ntea"]]) await page.getByLabel(label, { exact: true }).fill(text);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "By hand" }).waitFor();
    const row = await saved(server, +page.url().match(/memory\/(\d+)/)[1]);
    assert.deepEqual([row.tags, row.content, row.source.origin, row.source.tool], [["a", "b", "c"], "Likes\ntea", "user", "console"]);
  } },
  { name: "the keyboard alone writes a memory", async run({ page }) {
    await page.at("");
    await page.keyboard.press("Tab");
    await page.getByText("Skip to the page").waitFor();
    await page.getByRole("link", { name: "New", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "New memory" }).waitFor();
    for (const text of ["keys", "Typed", "lesson", "k", "Only keys."]) {
      await page.keyboard.press("Tab");
      await page.keyboard.type(text);
    }
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Typed" }).waitFor();
    await page.getByText("Created.").waitFor();
  } },
  { name: "the same text again is counted, and says so", async run({ page, server }) {
    await server.save({ project: "twice", type: "lesson", title: "T", content: "the same text" });
    await page.at("#/new?project=twice&type=lesson");
    await page.getByLabel("Title").fill("T");
    await page.getByLabel("Content").fill("the same text");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("It was remembered already: counted.").waitFor();
  } },
  { name: "limits of a field are told, and the text stays", async run({ page }) {
    await page.at("#/new?project=limits&type=lesson");
    await page.getByLabel("Title").fill("界".repeat(501));
    await page.getByLabel("Content").fill("kept");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("501").waitFor();
    assert.equal(await page.getByLabel("Content").inputValue(), "kept");
    await page.getByLabel("Title").fill("界".repeat(500));
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "界界界" }).waitFor();
  } },
  { name: "an edit makes a revision, and any two can be compared", async run({ page, server }) {
    const id = await server.save({ project: "edit", title: "Port", content: "The port is 80." });
    await server.ask("PATCH", "/observations/" + id, { content: "The port is 8080." });
    await edit(page, id);
    await page.getByLabel("Content").fill("The port is 443.");
    await page.getByLabel("Tags, separated by commas").fill("net");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Revisions (3)").click();
    await page.locator(".diff ins").first().waitFor();
    assert.match(await page.locator(".diff del").allTextContents().then((all) => all.join()), /8080/);
    await page.getByLabel("From revision").selectOption("1");
    await page.waitForFunction(() => /\b80\b/.test([...document.querySelectorAll(".diff del")].map((one) => one.textContent).join()));
    assert.match((await page.locator(".diff ins").allTextContents()).join(), /443/);
    assert.deepEqual([(await saved(server, id)).tags, (await saved(server, id)).revision_count], [["net"], 3]);
  } },
  { name: "of two editors the later sees both texts, and may save over", async run({ page, server }) {
    const id = await server.save({ project: "both", title: "Shared", content: "one two three" });
    await edit(page, id);
    await page.getByLabel("Content").fill("one two MINE");
    await server.ask("PATCH", "/observations/" + id, { content: "one THEIRS three" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Somebody changed this memory meanwhile").waitFor();
    assert.match((await page.locator(".diff del").allTextContents()).join(), /THEIRS/);
    assert.match((await page.locator(".diff ins").allTextContents()).join(), /MINE/);
    assert.equal((await saved(server, id)).content, "one THEIRS three");
    await page.getByRole("button", { name: "Save mine over it" }).click();
    await page.getByText("Saved.").waitFor();
    assert.equal((await saved(server, id)).content, "one two MINE");
  } },
  { name: "of two editors the later may keep the stored text", async run({ page, server }) {
    const id = await server.save({ project: "keep", title: "Shared", content: "before" });
    await edit(page, id);
    await page.getByLabel("Content").fill("mine");
    await server.ask("PATCH", "/observations/" + id, { content: "theirs" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Keep the stored one" }).click();
    await page.getByRole("button", { name: "Edit" }).waitFor();
    await page.locator("pre.text").getByText("theirs").waitFor();
    assert.equal((await saved(server, id)).revision_count, 2);
  } },
  { name: "a memory that was deleted under the editor says so, and the text stays", async run({ page, server }) {
    const id = await server.save({ project: "under", title: "Gone", content: "gone soon" });
    await edit(page, id);
    await page.getByLabel("Content").fill("my words");
    await server.ask("DELETE", "/observations/" + id);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByLabel("Content").inputValue(), "my words");
  } },
  { name: "a save that fails keeps the text, and can be tried again", async run({ page, server }) {
    const id = await server.save({ project: "fails", title: "Retry", content: "before" });
    await edit(page, id);
    await page.getByLabel("Content").fill("after");
    await page.route("**/observations/" + id, (route) => route.abort());
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The server does not answer.").waitFor();
    assert.equal(await page.getByLabel("Content").inputValue(), "after");
    await page.unroute("**/observations/" + id);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Saved.").waitFor();
    assert.equal((await saved(server, id)).content, "after");
  } },
  { name: "a delete can be undone", async run({ page, server }) {
    const id = await server.save({ project: "undo", title: "Back", content: "comes back" });
    await page.at("#/memory/" + id);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Deleted 1 memory.").waitFor();
    await assert.rejects(saved(server, id));
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Restored 1 memory.").waitFor();
    assert.equal((await saved(server, id)).title, "Back");
    await page.getByRole("link", { name: "Back" }).waitFor();
  } },
  { name: "many are deleted after a preview, and come back together", async run({ page, server }) {
    for (const n of [1, 2, 3, 4]) await server.save({ project: "many", title: "M" + n, content: "many " + n });
    await page.at("#/memories?project=many");
    await page.getByRole("button", { name: "Mark all shown" }).click();
    await page.getByRole("checkbox", { name: /Mark memory/ }).last().uncheck();
    await page.getByRole("button", { name: "Delete 3" }).click();
    await page.getByRole("dialog").locator("li").nth(2).waitFor();
    assert.deepEqual((await page.getByRole("dialog").locator("li bdi").allTextContents()).filter((one) => /^M\d/.test(one)).sort(), ["M2", "M3", "M4"]);
    await page.getByRole("dialog").getByRole("button", { name: "Keep them" }).click();
    assert.equal((await server.ask("GET", "/observations/recent?project=many")).length, 4);
    await page.getByRole("button", { name: "Delete 3" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Deleted 3 memories.").waitFor();
    assert.deepEqual((await server.ask("GET", "/observations/recent?project=many")).map((row) => row.title), ["M1"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Restored 3 memories.").waitFor();
    await page.waitForFunction(() => document.querySelectorAll(".rows h2").length === 4);
  } },
  { name: "deleted memories are listed and restored", async run({ page, server }) {
    const id = await server.save({ project: "hidden", title: "Hidden", content: "hidden text" });
    await server.ask("DELETE", "/observations/" + id);
    await page.at("#/memories?project=hidden");
    await page.getByLabel("State").selectOption("deleted");
    await page.getByText("Hidden", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByText("No deleted memory fits.").waitFor();
    assert.equal((await saved(server, id)).title, "Hidden");
  } },
  { name: "a pin and a burial are a click, undone by another, and a filter shows them", async run({ page, server }) {
    const id = await server.save({ project: "marks", title: "Keep me", content: "the walrus", tags: ["sea"] });
    await server.save({ project: "marks", title: "Other", content: "a seal" });
    await page.at("#/memory/" + id);
    await page.getByRole("button", { name: "Pin", exact: true }).click();
    await page.getByRole("button", { name: "Unpin" }).waitFor();
    assert.deepEqual((await saved(server, id)).tags, ["sea", "@pinned"]);
    await page.getByRole("button", { name: "Bury", exact: true }).click();
    await page.getByRole("button", { name: "Unbury" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Bury", exact: true }).waitFor();
    assert.deepEqual((await saved(server, id)).tags, ["sea", "@pinned"]);
    await edit(page, id);
    assert.equal(await page.getByLabel("Tags, separated by commas").inputValue(), "sea");
    await page.getByLabel("Tags, separated by commas").fill("ocean");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    assert.deepEqual((await saved(server, id)).tags, ["ocean", "@pinned"], "a form takes no pin away");
    await page.at("#/memories?project=marks");
    await page.locator(".rows h2").nth(1).waitFor();
    await page.getByLabel("State").selectOption("pinned");
    await page.waitForFunction(() => document.querySelectorAll(".rows h2").length === 1);
    assert.equal(await page.locator(".rows h2").textContent(), "Keep me");
  } },
  { name: "marked memories are merged into one, and an undo brings them back", async run({ page, server }) {
    const first = await server.save({ project: "merge", title: "Port", content: "The port is 80.", tags: ["net"] });
    const second = await server.save({ project: "merge", title: "Port again", content: "It was 8080.", tags: ["net", "old"] });
    await server.ask("PATCH", "/observations/" + second, { buried: true });
    await page.at("#/memories?project=merge");
    await page.getByLabel("Mark memory " + first).check();
    await page.getByLabel("Mark memory " + second).check();
    await page.getByRole("button", { name: "Merge 2" }).click();
    await page.getByLabel("Content").waitFor();
    assert.equal(await page.getByLabel("Content").inputValue(), "The port is 80.\n\nIt was 8080.");
    await page.getByLabel("Content").fill("The port is 80, it was 8080.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Merged; 2 memories are hidden.").waitFor();
    const merged = +page.url().match(/memory\/(\d+)/)[1];
    assert.deepEqual((await saved(server, merged)).tags, ["net", "old", "@buried"]);
    assert.equal((await server.ask("GET", "/observations/recent?project=merge")).length, 1);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Restored 2 memories.").waitFor();
    assert.deepEqual((await server.ask("GET", "/observations/recent?project=merge")).map((row) => row.id).sort(), [first, second].sort());
  } },
  { name: "memories of two projects are not merged", async run({ page, server }) {
    const ids = [await server.save({ project: "one", title: "A" }), await server.save({ project: "two", title: "B" })];
    await page.at("#/merge?ids=" + ids.join());
    await page.getByText("more than one project").waitFor();
    await page.at("#/merge?ids=" + ids[0] + ",x");
    await page.getByText("Mark two or more memories").waitFor();
  } },
  { name: "recall shows what a prompt gets, and why the rest does not", async run({ page, server }) {
    const ids = [];
    for (const content of ["deploy on Tuesdays", "deploy from main", "deploy by hand, long ago"]) ids.push(await server.save({ project: "recall", title: content, content }));
    await server.ask("PATCH", "/observations/" + ids[2], { buried: true });
    await page.at("#/recall");
    await page.getByLabel("Prompt").fill("when do we deploy?");
    await page.getByLabel("Project").fill("recall");
    await page.getByLabel("Limit").fill("1");
    await page.getByRole("button", { name: "Recall" }).click();
    await page.getByText("1 given, 3 found").waitFor();
    assert.deepEqual((await page.locator("tbody tr td:first-child").allTextContents()).sort(), ["no: beyond the limit of 1", "no: buried", "yes"]);
    assert.match(page.url(), /recall\?q=when\+do\+we\+deploy%3F&project=recall&limit=1/);
    await page.at("#/recall?q=zzzz&project=recall&limit=5");
    await page.getByText("No memory fits").waitFor();
  } },
];
