// Takes the pictures of the tutorials and of the README, and prints their names as JSON.
// node tutorials.mjs CHROMIUM PROFILE OUT VIEW-ADDRESS REPORT CLASSROOM-LINKS
// CLASSROOM-LINKS is a JSON list of [whose it is, address], the teacher's first.
import { chromium } from "playwright-core";
import { pathToFileURL } from "node:url";

const [executablePath, profile, out, view, report, links] = process.argv.slice(2);
const args = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--force-color-profile=srgb",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const made = [];
const browser = await chromium.launchPersistentContext(profile, {
  executablePath, args, headless: true, colorScheme: "light", viewport: { width: 1200, height: 760 },
});
browser.setDefaultTimeout(120_000);
browser.setDefaultNavigationTimeout(120_000);
const shot = async (of, name) => { await of.screenshot({ path: `${out}/${name}.png` }); made.push(name); };

// 1. A model: its runs, a conversation, two runs side by side, the report.
const page = await browser.newPage();
const go = (name) => page.goto(`${view}/${name}`, { waitUntil: "load" });
await go("index.html?environment=beer-game&q=random");
// The distances to the reference are computed after the list.
await page.waitForFunction(() => [...document.querySelectorAll("#runs tbody tr")].every((row) => row.hidden || !row.textContent.includes("…")));
await shot(page, "runs");
await go("record.model.0.html#t6");
await shot(page, "conversation");
await go("compare.order-up-to.model.html");
await shot(page, "two-runs");
await page.goto(pathToFileURL(report).href, { waitUntil: "load" });
await shot(page, "report");

// 2. A class: the teacher's page, the page of a player, the debrief.
const [teacher, ...seats] = JSON.parse(links);
const desk = await browser.newPage();
await desk.goto(teacher[1], { waitUntil: "load" });
const phone = await browser.newPage();
await phone.setViewportSize({ width: 390, height: 844 });
await phone.goto(seats[0][1], { waitUntil: "load" });
await phone.getByRole("button", { name: "join" }).click();
await phone.getByText("You have joined").waitFor();
await desk.getByText("Team 1").first().waitFor();
await shot(desk, "class-lobby");
await desk.getByRole("button", { name: "start" }).click();
// A retailer who orders what customers asked for, and more while there is a backlog.
for (let week = 1; week <= 36; week += 1) {
  const field = phone.locator("form input").first();
  await field.waitFor();
  await field.fill(String(week < 5 ? 4 : week < 12 ? 14 : 8));
  if (week === 14) {
    await shot(phone, "class-player");
    await desk.getByText(`week ${week} of 36`).first().waitFor();
    await shot(desk, "class-teacher");
  }
  await phone.locator("form button").first().click();
  const next = week < 36 ? phone.getByText(`week ${week + 1} of 36`) : phone.getByText("The game is over");
  await next.first().waitFor();
}
await phone.setViewportSize({ width: 900, height: 1100 });
await shot(phone, "class-debrief");

// 3. A policy and the optimum: an episode with its plots, and the picture of the README.
await go("record.sterman.0.html");
await shot(page, "policy-episode");
await go("compare.optimal.sterman.html");
await shot(page, "policy-and-optimum");
await go("record.sterman.0.html");
const figure = page.locator("figure").filter({ hasText: "so far" }).first();
await figure.evaluate((box) => { box.style.maxWidth = "640px"; }).catch(() => {});
await shot(figure, "beer-game");
await browser.close();
console.log(JSON.stringify(made));
