// The pictures of docs/console.md, of an example that reads like a real project.
import { join } from "node:path";

import { open } from "./browser.mjs";
import { Server } from "./server.mjs";

const ROWS = [
  { type: "decision", title: "SQLite for storage", content: "One file per tenant, WAL, synchronous FULL: an acknowledged write survives a power loss.", tags: ["database"], source: { origin: "agent", tool: "mem_save" } },
  { type: "lesson", title: "Retry with jitter", content: "Without jitter all clients came back in the same second after the outage.", tags: ["http", "outage"], source: { origin: "rule", rule: "errors", tool: "bash" } },
  { type: "preference", title: "Short answers", content: "I want short answers, in English, without emojis.", source: { origin: "user" } },
  { type: "bugfix", title: "Pool exhausted at 40 connections", content: "The migration held a connection per table.", tags: ["database"], source: { origin: "agent", tool: "bash" } },
];

export async function pictures(browser, folder) {
  const server = await new Server().start();
  let last;
  for (const row of ROWS) last = await server.save(row);
  await server.ask("PATCH", "/observations/" + last, { content: "The migration held a connection per table; it takes one now.", source: { origin: "agent" } });
  const shot = async (page, name) => page.screenshot({ path: join(folder, name + ".png") });
  const page = await open(browser, server.url, { width: 900, height: 640 });
  await page.at("#/memories?project=billing");
  await page.locator(".rows h2").nth(3).waitFor();
  await shot(page, "console-list");
  await page.at("#/memory/" + last);
  await page.locator("summary").first().click();
  await page.locator(".diff").waitFor();
  await page.setViewportSize({ width: 900, height: 1000 });
  await shot(page, "console-memory");
  const buried = await server.save({ title: "Old pool size", content: "The database pool had 10 connections.", source: { origin: "agent" } });
  await server.ask("PATCH", "/observations/" + buried, { buried: true });
  await page.setViewportSize({ width: 900, height: 560 });
  await page.at("#/recall?q=why+does+the+database+run+out+of+connections%3F&project=billing&limit=5");
  await page.locator("tbody tr").nth(1).waitFor();
  await shot(page, "console-recall");
  await page.setViewportSize({ width: 900, height: 1000 });
  await page.at("#/memory/" + last);
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Content").fill("It takes two connections now.");
  await server.ask("PATCH", "/observations/" + last, { content: "It takes one connection now.", source: { origin: "agent" } });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Somebody changed").waitFor();
  await shot(page, "console-conflict");
  const phone = await open(browser, server.url, { width: 360, height: 640, dark: true });
  await phone.at("#/memories?project=billing");
  await phone.locator(".rows h2").nth(3).waitFor();
  await shot(phone, "console-phone");
  await server.end();
}
