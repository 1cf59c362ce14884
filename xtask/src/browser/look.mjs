// Opens a report in Chromium and prints what it saw as JSON.
// node look.mjs CHROMIUM REPORT PROFILE OUT
import { chromium } from "playwright-core";
import { pathToFileURL } from "node:url";
import { serious } from "./axe.mjs";

const [executablePath, report, profile, out] = process.argv.slice(2);
const address = pathToFileURL(report).href;
const views = {
  light: { colorScheme: "light", viewport: { width: 1200, height: 900 } },
  dark: { colorScheme: "dark", viewport: { width: 1200, height: 900 } },
  narrow: { colorScheme: "light", viewport: { width: 390, height: 844 } },
};
const args = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

// What the page says of each ranking: title, and intervals with all their digits and as they are read.
const rankings = () => [...document.querySelectorAll("section")].map((section) => ({
  title: section.querySelector("h2").textContent,
  rows: [...section.querySelectorAll("table.ranking tbody tr")].map((row) => {
    const interval = (cell) => cell === undefined ? null
      : { limits: [cell.dataset.low, cell.dataset.high].map(Number), shown: cell.textContent };
    const marked = [...row.cells].filter((cell) => cell.dataset.low !== undefined);
    return {
      agent: row.dataset.agent,
      mean: interval(marked.find((cell) => !cell.classList.contains("left"))),
      difference: interval(marked.find((cell) => cell.classList.contains("left"))),
    };
  }),
}));

// Whether the buttons sort and the search hides: what a reader would notice first.
const interplay = () => {
  const table = document.querySelector("table.ranking");
  const order = () => [...table.tBodies[0].rows].map((row) => row.dataset.agent).join();
  const before = order();
  table.querySelectorAll("th button")[1].click();
  const sorted = order();
  table.querySelectorAll("th button")[0].click();
  const back = order();
  const find = document.getElementById("find");
  const search = (text) => { find.value = text; find.dispatchEvent(new Event("input")); };
  search("no agent is called this");
  const hidden = [...document.querySelectorAll("tr[data-agent]")].every((row) => row.hidden);
  search("");
  const shown = [...document.querySelectorAll("tr[data-agent]")].every((row) => !row.hidden);
  return { sorts: before !== sorted && before === back, searches: hidden && shown };
};

const seen = { views: {}, console: [], requests: [], axe: [] };
for (const [name, view] of Object.entries(views)) {
  const browser = await chromium.launchPersistentContext(`${profile}/${name}`, {
    executablePath, args, headless: true, offline: true, ...view,
  });
  const page = await browser.newPage();
  page.on("console", (message) => { if (message.type() === "error") seen.console.push(`${name}: ${message.text()}`); });
  page.on("pageerror", (error) => seen.console.push(`${name}: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (url !== address && !url.startsWith("data:")) seen.requests.push(`${name}: ${url}`);
  });
  await page.goto(address, { waitUntil: "load" });
  seen.views[name] = await page.evaluate(() => ({
    load_ms: performance.getEntriesByType("navigation")[0].loadEventEnd,
    too_wide: document.documentElement.scrollWidth > innerWidth,
    // The table of agents by tasks has as many columns as there are tasks, so it may scroll.
    clipped: [...document.querySelectorAll(".wide, figure, p, li")].filter((part) => part.offsetParent && part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).display !== "inline" && !part.querySelector(".matrix")).map((part) => part.outerHTML.slice(0, 120)),
    background: getComputedStyle(document.body).backgroundColor,
  }));
  await page.screenshot({ path: `${out}/${name}.png`, fullPage: true });
  if (name === "light") {
    seen.rankings = await page.evaluate(rankings);
    seen.interplay = await page.evaluate(interplay);
    seen.captions = await page.evaluate(() => [...document.querySelectorAll("figcaption")].map((caption) => caption.textContent));
    await page.pdf({ path: `${out}/print.pdf`, format: "A4", margin: { top: "12mm", bottom: "12mm", left: "12mm", right: "12mm" } });
    await page.evaluate(() => { for (const part of [...document.querySelectorAll("details")].slice(0, 3)) part.open = true; });
    await page.screenshot({ path: `${out}/open.png`, fullPage: true });
  }
  seen.axe.push(...await serious(page, name));
  await browser.close();
}
console.log(JSON.stringify(seen));
