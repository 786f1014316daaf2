// Signing in where the server asks who calls: a token once, a cookie then; what was written survives, secrets stay out.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { accessibility, open } from "./browser.mjs";
import { FakeReviews } from "./fake_reviews.mjs";
import { Server } from "./server.mjs";

async function world(browser, run, how) {
  const folder = mkdtempSync(join(tmpdir(), "agent-memory-reviews-")), reviews = new FakeReviews();
  const server = await new Server(...await reviews.start(folder)).start();
  const page = await open(browser, server.url, how);
  const token = reviews.issue("system:serviceaccount:team-a:viewer");
  try {
    await run({ page, server, reviews, token });
    assert.deepEqual(await page.check(), []);
  } finally {
    await page.context().close();
    await server.end();
    reviews.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function signIn(page, token) {
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}

export const signInStories = [
  { name: "a token signs in, and is nowhere in the browser", async run({ browser }) {
    await world(browser, async ({ page, server, token }) => {
      await page.at("#/memories?project=p");
      await page.getByText("kubectl create token NAME").waitFor();
      await page.getByLabel("Command").getByText("--audience agent-memory.agents.agent-memory").waitFor();
      await signIn(page, token);
      await page.getByText("team-a/viewer").waitFor();
      await page.getByText("No memory fits").waitFor();
      const kept = await page.evaluate(() => [document.cookie, localStorage.length, sessionStorage.length, location.href, document.documentElement.outerHTML].join("\n"));
      assert.ok(!kept.includes(token) && kept.startsWith("\n0\n0\n"));
      const [cookie] = await page.context().cookies();
      assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, "Strict", "/"]);
      assert.ok(!cookie.value.includes(token) && cookie.expires * 1000 < Date.now() + 3_601_000);
    });
  } },
  { name: "a wrong token says why, and another may be tried", async run({ browser }) {
    await world(browser, async ({ page, token }) => {
      await page.at("");
      await signIn(page, "nonsense");
      await page.getByText("not a JSON Web Token").waitFor();
      assert.deepEqual(await accessibility(page), []);
      await signIn(page, token);
      await page.getByText("team-a/viewer").waitFor();
    }, { axe: true });
  } },
  { name: "a session that ends in the middle of an edit loses no text", async run({ browser }) {
    await world(browser, async ({ page, server, reviews, token }) => {
      const { id } = await server.ask("POST", "/observations", { session_id: "s", project: "p", type: "note", title: "Edited", content: "before" }, { Authorization: "Bearer " + token });
      await page.at("#/memory/" + id);
      await signIn(page, token);
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("Content").fill("my words");
      await page.context().clearCookies();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      assert.equal(await page.getByLabel("Content").inputValue(), "my words");
      await signIn(page, reviews.issue("system:serviceaccount:team-a:viewer"));
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("Saved.").waitFor();
      assert.equal((await server.ask("GET", "/observations/" + id, undefined, { Authorization: "Bearer " + token })).content, "my words");
    });
  } },
  { name: "who signs out is nobody, and another namespace is not seen", async run({ browser }) {
    await world(browser, async ({ page, server, reviews, token }) => {
      await server.ask("POST", "/observations", { session_id: "s", project: "p", type: "note", title: "Of team a", content: "a" }, { Authorization: "Bearer " + token });
      await page.at("");
      await signIn(page, token);
      await page.getByText("Of team a").waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      assert.deepEqual(await page.context().cookies(), []);
      await signIn(page, reviews.issue("system:serviceaccount:team-b:viewer"));
      await page.getByText("Nothing is remembered yet").waitFor();
    });
  } },
];
