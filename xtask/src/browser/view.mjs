// Opens the pages of `boardroom view` in Chromium and prints what it saw as JSON.
// node view.mjs CHROMIUM ADDRESS EPISODE-PAGE HOSTILE-PAGE COMPARE-PAGE INDEX-FILE RUN LINE-FILE RECORDS CALL-FILE CALLS PROFILE OUT
// LINE-FILE holds one more record of RUN, which is added to RECORDS while the list is open; then the call in CALL-FILE
// is added to CALLS.
import { chromium } from "playwright-core";
import { appendFileSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { serious } from "./axe.mjs";

const [executablePath, address, episode, hostile, compare, file, run, more, records, call, calls, profile, out] = process.argv.slice(2);
const args = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
// More than a browser has connections to a host.
const TABS = 8;
const seen = { console: [], requests: [], faults: [], axe: 0, ms: {} };
const expect = (holds, what) => { if (!holds) seen.faults.push(what); };

async function open(name, options) {
  const browser = await chromium.launchPersistentContext(`${profile}/${name}`, { executablePath, args, headless: true, ...options });
  const page = await browser.newPage();
  page.on("console", (message) => { if (message.type() === "error") seen.console.push(`${name}: ${message.text()}`); });
  page.on("pageerror", (error) => seen.console.push(`${name}: ${error.message}`));
  page.on("dialog", (dialog) => { seen.faults.push(`${name}: a dialog opened`); dialog.dismiss(); });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !url.startsWith("data:") && !url.startsWith("file:")) seen.requests.push(`${name}: ${url}`);
  });
  return { browser, page };
}
async function accessible(page, name) {
  const clipped = await page.evaluate(() => [...document.querySelectorAll(".wide, figure, p, li")].filter((part) => part.offsetParent && part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).display !== "inline").map((part) => part.outerHTML.slice(0, 120)));
  expect(clipped.length === 0, `${name}: clipped, ${clipped[0]}`);
  seen.faults.push(...await serious(page, name));
  seen.axe += 1;
}
// The fastest of three loads: what else the machine does is not the page's time.
async function quickest(page, url) {
  let best = Infinity;
  for (let load = 0; load < 3; load += 1) {
    await page.goto("about:blank");
    await page.goto(url, { waitUntil: "load" });
    best = Math.min(best, await loaded(page));
  }
  return best;
}
const loaded = (page) => page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd);
const too_wide = (page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
const shown = (page) => page.evaluate(() => [...document.querySelectorAll("#runs tbody tr")].filter((row) => !row.hidden).length);

{
  const { browser, page } = await open("wide", { viewport: { width: 1200, height: 900 }, colorScheme: "light" });
  seen.ms.list = await quickest(page, `${address}/`);
  const all = await shown(page);
  seen.runs = all;
  seen.verified = await page.evaluate(() => [...document.querySelectorAll("td[data-label=checked]")].filter((cell) => cell.textContent === "verified").length);
  expect(!(await too_wide(page)), "the list is too wide");
  await page.screenshot({ path: `${out}/list.png` });
  await accessible(page, "list");
  // The keyboard alone: to the filter, to a row, into it, to a record, and up again.
  await page.keyboard.press("/");
  await page.keyboard.type("zzz no run is called this");
  expect((await shown(page)) === 0, "the filter does not hide rows");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.press("Escape");
  expect((await shown(page)) === all, "the filter does not show rows again");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/run\./);
  await accessible(page, "run");
  // To a comparison with another run of the task, to the search, and back.
  const first = page.url();
  await page.keyboard.press("c");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(/compare\./);
  await page.keyboard.press("s");
  await page.waitForURL(/search\./);
  // The field of the search has the focus, from the first picture of the page on.
  await page.waitForFunction(() => document.activeElement?.matches("input"));
  await page.keyboard.type("prices");
  await page.keyboard.press("Enter");
  await page.waitForURL(/search\..*q=prices/);
  expect((await page.evaluate(() => document.querySelectorAll(".places a").length)) > 0, "the search finds nothing");
  await accessible(page, "search");
  for (let back = 0; back < 3 && page.url() !== first; back += 1) await page.goBack({ waitUntil: "load" });
  expect(page.url() === first, "the back button does not lead from the search to the run");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/record\./);
  await page.keyboard.press("n");
  await page.waitForURL(/record\..*\.1\.html/);
  await page.keyboard.press("u");
  await page.waitForURL(/run\./);
  await page.keyboard.press("u");
  await page.waitForURL(/index\.html/);
  // The back button and a link with filters.
  await page.goto(`${address}/index.html?status=finished&q=pricing`, { waitUntil: "load" });
  const filtered = await shown(page);
  expect(filtered > 0 && filtered < all, "a link with filters does not filter");
  await page.goto(`${address}/help.html`, { waitUntil: "load" });
  await page.goBack({ waitUntil: "load" });
  expect((await shown(page)) === filtered, "the back button loses the filters");
  // A long episode, and a link to one of its inputs.
  seen.ms.episode = await quickest(page, `${address}/${episode}`);
  seen.turns = await page.evaluate(() => document.querySelectorAll("[data-turn]").length);
  seen.plots = await page.evaluate(() => document.querySelectorAll("figure svg").length);
  await page.screenshot({ path: `${out}/episode.png` });
  await accessible(page, "episode");
  await page.goto(`${address}/${compare}`, { waitUntil: "load" });
  expect((await page.evaluate(() => document.querySelectorAll("tbody a[href*=\"#t\"]").length)) > 0, "a comparison has no link to where the runs part");
  await page.screenshot({ path: `${out}/compare.png` });
  await accessible(page, "comparison");
  await page.goto(`${address}/help.html`, { waitUntil: "load" });
  await accessible(page, "help");
  await page.goto(`${address}/${episode}#t50`, { waitUntil: "load" });
  const target = await page.evaluate(() => { const box = document.querySelector(":target")?.getBoundingClientRect(); return box && box.top < innerHeight && box.bottom > 0; });
  expect(target, "a link to an input does not lead to it");
  // Replies with markup, control characters, and five million letters.
  await page.goto(`${address}/${hostile}`, { waitUntil: "load" });
  seen.ms.hostile = await loaded(page);
  const marks = await page.evaluate(() => ({ scripts: document.scripts.length, images: document.images.length, ran: window.ran === true, text: document.body.textContent.includes("<script>window.ran = true</script>") }));
  expect(marks.scripts === 1 && marks.images === 0 && !marks.ran && marks.text, `a reply did not stay text: ${JSON.stringify(marks)}`);
  await page.screenshot({ path: `${out}/hostile.png` });
  await accessible(page, "hostile");
  // A run in progress: its numbers change without a reload, while the pages in other tabs are hidden.
  await page.goto(`${address}/index.html`, { waitUntil: "load" });
  await page.evaluate(() => { window.stays = true; });
  const numbers = () => page.evaluate((row) => {
    const cell = (name) => document.querySelector(`[id="row-${row}"] [data-label="${name}"]`).textContent;
    return { all: document.querySelector("#about").textContent, records: cell("records"), score: cell("score"), cost: cell("cost [USD]"), tokens: cell("tokens") };
  }, run);
  const changes = async (names, what) => {
    for (let look = 0; look < 100; look += 1) {
      const now = await numbers();
      if (names.every((name) => now[name] !== before[name])) return;
      await new Promise((done) => setTimeout(done, 100));
    }
    expect(false, `${what}: of ${names}, not all change; ${JSON.stringify(await numbers())} after ${JSON.stringify(before)}`);
  };
  let before = await numbers();
  appendFileSync(records, readFileSync(more));
  await changes(["all", "records", "score"], "a new record");
  // A browser opens six connections to a host, so only the page that is seen may keep one. The driver shows every
  // tab, so what a browser tells a page is told here.
  const hide = (tab, hidden) => tab.evaluate((is) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => is });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
  await hide(page, true);
  for (let count = 2; count <= TABS; count += 1) {
    const tab = await browser.newPage();
    await tab.goto(`${address}/index.html`, { waitUntil: "load", timeout: 5000 }).catch(() => expect(false, `tab ${count} does not load`));
    await hide(tab, true);
  }
  before = await numbers();
  appendFileSync(calls, readFileSync(call));
  await hide(page, false);
  await changes(["cost", "tokens"], "a new call, in a tab that was hidden");
  expect(await page.evaluate(() => window.stays === true), "the page was loaded again");
  // A refused stream is not a server that has ended.
  for (const [answer, words] of [[{ status: 503, body: "" }, "too many pages are open"], [null, "the server does not answer"]]) {
    const tab = await browser.newPage();
    await tab.route("**/events", (route) => (answer ? route.fulfill(answer) : route.abort("connectionrefused")));
    await tab.goto(`${address}/help.html`, { waitUntil: "load" });
    await tab.waitForFunction((text) => document.querySelector("#changed").textContent.includes(text), words, { timeout: 5000 }).catch(() => expect(false, `the page does not say: ${words}`));
    await tab.close();
  }
  await browser.close();
}
{
  const { browser, page } = await open("narrow", { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  for (const [name, url] of [["list", `${address}/`], ["episode", `${address}/${episode}`], ["comparison", `${address}/${compare}`], ["hostile", `${address}/${hostile}`]]) {
    await page.goto(url, { waitUntil: "load" });
    expect(!(await too_wide(page)), `${name} is wider than 390 px`);
    await accessible(page, `${name}, narrow and dark`);
    await page.screenshot({ path: `${out}/${name}-narrow.png` });
  }
  await browser.close();
}
{
  const { browser, page } = await open("file", { viewport: { width: 1200, height: 900 }, colorScheme: "dark", offline: true });
  await page.goto(pathToFileURL(file).href, { waitUntil: "load" });
  expect((await shown(page)) > 0, "the files show no run");
  await page.keyboard.press("/");
  await page.keyboard.type("zzz no run is called this");
  expect((await shown(page)) === 0, "the script of the files does not run");
  await page.goto(pathToFileURL(file).href, { waitUntil: "load" });
  await page.click("#runs tbody a");
  await page.click("#runs tbody a");
  expect((await page.evaluate(() => document.querySelectorAll("[data-turn]").length)) > 0, "the files show no episode");
  await page.screenshot({ path: `${out}/file-episode.png` });
  await browser.close();
}
console.log(JSON.stringify(seen));
