// A page of the console that watches itself: errors of the console, reports of the policy, and requests to elsewhere.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SERIOUS = ["serious", "critical"];

export async function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell", args: ["--no-sandbox"] });
}

// `axe`: with the checker of accessibility in the page.
export async function open(browser, url, { axe = false, dark = false, width = 1000, height = 800 } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", locale: "en-GB", timezoneId: "UTC" });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults = [];
  page.faults = faults;
  // Chromium also logs each answer of 400 and more, which stories cause on purpose.
  page.on("console", (message) => message.type() === "error" && !message.text().startsWith("Failed to load resource") && faults.push("console: " + message.text()));
  page.on("pageerror", (error) => faults.push("uncaught: " + error.message));
  page.on("dialog", (dialog) => { faults.push("a script ran: " + dialog.message()); dialog.dismiss(); });
  page.on("request", (request) => { if (!request.url().startsWith(url) && !request.url().startsWith("blob:" + url)) faults.push("asked elsewhere: " + request.url()); });
  await page.addInitScript(() => {
    window.reports = [];
    addEventListener("securitypolicyviolation", (event) => window.reports.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
  });
  if (axe) await page.addInitScript(AXE);
  page.at = async (path) => { await page.goto(url + "/ui/" + path); await page.waitForSelector("main h1", { state: "attached" }); };
  page.check = async () => [...faults, ...(await page.evaluate(() => window.reports ?? [])).map((one) => "policy: " + one)];
  return page;
}

export async function accessibility(page) {
  const { violations } = await page.evaluate(() => window.axe.run(document));
  return violations.filter((one) => SERIOUS.includes(one.impact)).map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html).join(" ")}`);
}

// Elements that no text of others can bring in.
export const foreign = (page) => page.evaluate(() => {
  const known = new Set("HTML HEAD BODY META TITLE LINK SCRIPT NOSCRIPT DIV A HEADER STRONG NAV MAIN FOOTER H1 H2 H3 P FORM LABEL INPUT SELECT OPTION DATALIST SPAN BUTTON OL UL LI TIME BDI PRE DL DT DD SECTION DETAILS SUMMARY TABLE THEAD TBODY TR TH TD INS DEL TEXTAREA DIALOG".split(" "));
  return [...document.querySelectorAll("*")].filter((one) => !known.has(one.tagName) || one.hasAttribute("style") || [...one.attributes].some(({ name }) => name.startsWith("on")) || (one.tagName === "SCRIPT" && !one.src)).map((one) => one.outerHTML.slice(0, 80));
});
