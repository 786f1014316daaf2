// Runs all stories, each on its own page, on one server; prints 'N passed, M failed'. --bars: times must hold, too.
import { parseArgs } from "node:util";

import { launch, open } from "./browser.mjs";
import { measures } from "./measures.mjs";
import { pictures } from "./pictures.mjs";
import { Server } from "./server.mjs";
import { stories } from "./stories.mjs";
import { hostileStories } from "./hostile_stories.mjs";
import { signInStories } from "./sign_in_stories.mjs";
import { changeStories } from "./change_stories.mjs";

const { values } = parseArgs({ options: { only: { type: "string", default: "" }, screenshots: { type: "string", default: "" }, bars: { type: "boolean", default: false } } });
const server = await new Server().start();
const browser = await launch();
let passed = 0, failed = 0;

async function tell({ name, run, page: how }) {
  const started = performance.now();
  let page;
  try {
    page = await open(browser, server.url, how);
    await run({ page, server, browser });
    const faults = await page.check();
    if (faults.length) throw new Error(faults.slice(0, 5).join("\n"));
    passed += 1;
    console.log(`     ok   ${name} (${Math.round(performance.now() - started)} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`     FAIL ${name}\n          ${String(error.stack ?? error).split("\n").slice(0, 12).join("\n          ")}`);
  } finally {
    await page?.context().close();
  }
}

for (const story of [...stories, ...changeStories, ...signInStories, ...hostileStories, ...measures]) if (story.name.includes(values.only)) await tell(story);
if (values.screenshots) await pictures(browser, values.screenshots);
await browser.close();
await server.end();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
