// Plays a lesson of `boardroom classroom` in Chromium and prints what it saw as JSON.
// node classroom.mjs CHROMIUM PROFILE OUT FOLDER PROGRAM ARGUMENT..
// The server is started here, because it is killed and started again in the middle of the game. Team 1 has four
// people, each in a browser of their own; team 2 has one person and policies; team 3 is asked over HTTP alone.
import { chromium } from "playwright-core";
import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { createInterface } from "node:readline";
import { serious } from "./axe.mjs";

const [executablePath, profile, out, folder, program, ...words] = process.argv.slice(2);
const args = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const LEVELS = { retailer: 32, wholesaler: 32, distributor: 32, brewery: 24 };
const SEATS = Object.keys(LEVELS);
const WEEKS = 36;
const MARK = 4973;
// Not as a part of a token or of another number.
const MARKED = new RegExp(`(?<![0-9a-z.])${MARK}(?![0-9a-z])`);
const seen = { console: [], requests: [], faults: [], figures: { axe: 0 } };
const expect = (holds, what) => { if (!holds) seen.faults.push(what); };
const patience = { timeout: 30000 };

// ---- the server ----
let server = null;
async function start(port) {
  server = spawn(program, [...words, "--port", String(port), "--out", folder], { stdio: ["ignore", "pipe", "inherit"] });
  const links = {};
  const all = 1 + 3 * SEATS.length;
  return new Promise((done, fail) => {
    server.on("exit", (code) => fail(new Error(`the server ended with ${code}`)));
    createInterface({ input: server.stdout }).on("line", (line) => {
      const [of, url] = line.split(": http://");
      links[of] = url.split("/#");
      if (Object.keys(links).length === all) done(links);
    });
  });
}
async function kill() {
  const gone = new Promise((done) => server.on("exit", done));
  server.kill("SIGKILL");
  await gone;
}
process.on("exit", () => server?.kill("SIGKILL"));

// A request with exactly this path; pages and `fetch` would tidy it.
const ask = (method, path, token, body) => new Promise((done, fail) => {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const sent = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
    let text = "";
    answer.on("data", (more) => { text += more; if (path.endsWith("/events")) { done({ status: answer.statusCode, text }); sent.destroy(); } });
    answer.on("end", () => done({ status: answer.statusCode, text }));
  });
  sent.on("error", (error) => { if (error.code !== "ECONNRESET") fail(error); });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
});

// ---- a connection that can break ----
const open = new Set();
let broken = false;
// As behind a network that has forgotten the connection: nothing arrives, and nobody says so.
let silent = false;
const proxy = createServer((client) => {
  if (broken) { client.destroy(); return; }
  const to = connect(port, "127.0.0.1");
  for (const [from, other] of [[client, to], [to, client]]) {
    open.add(from);
    from.on("data", (bytes) => { if (!silent) other.write(bytes); });
    from.on("end", () => other.end());
    from.on("error", () => other.destroy());
    from.on("close", () => { open.delete(from); other.destroy(); });
  }
});
await new Promise((done) => proxy.listen(0, "127.0.0.1", done));

// ---- browsers ----
const browsers = [];
async function browser(name, options) {
  const context = await chromium.launchPersistentContext(`${profile}/${name}`, { executablePath, args, headless: true, viewport: { width: 1100, height: 850 }, ...options });
  browsers.push(context);
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.clicks = 0;
    addEventListener("click", (event) => { if (event.isTrusted) window.clicks += 1; }, true);
  });
  const expected = /net::ERR_/;
  // Ending a game is confirmed.
  page.on("dialog", (dialog) => dialog.accept());
  page.on("console", (message) => { if (message.type() === "error" && !expected.test(message.text())) seen.console.push(`${name}: ${message.text()}`); });
  page.on("pageerror", (error) => seen.console.push(`${name}: ${error.message}`));
  page.on("request", (sent) => { if (!sent.url().startsWith("http://127.0.0.1:")) seen.requests.push(`${name}: ${sent.url()}`); });
  return page;
}
async function accessible(page, what) {
  seen.faults.push(...await serious(page, what));
  seen.figures.axe += 1;
}
async function narrow(page, what) {
  const bad = await page.evaluate(() => {
    const faults = [];
    if (document.documentElement.scrollWidth > innerWidth) faults.push(`it is ${document.documentElement.scrollWidth} px wide`);
    for (const node of document.querySelectorAll("button, input, select, textarea, summary")) {
      const box = node.getBoundingClientRect();
      if (box.width > 0 && box.height < 44) faults.push(`${node.tagName.toLowerCase()} ${node.name || node.textContent} is ${Math.round(box.height)} px high`);
    }
    return faults;
  });
  for (const fault of bad) expect(false, `on a phone, ${what}: ${fault}`);
}
const week = (page, number) => page.waitForFunction((text) => document.querySelector("#where").textContent === text, `week ${number + 1} of ${WEEKS}`, patience);
const field = (page) => page.waitForSelector('[id="place_order.quantity"]', patience);
const sealed = (page) => page.waitForFunction(() => document.body.textContent.includes("Your decision is sealed"), undefined, patience);
const figures = (page) => page.evaluate(() => Object.fromEntries([...document.querySelectorAll(".tile")].filter((tile) => tile.querySelector("span")).map((tile) => [tile.querySelector("span").textContent, Number(tile.querySelector("b").textContent)])));
async function order(page, level) {
  const now = await figures(page);
  const quantity = Math.max(0, level - (now.inventory - now.backlog + now["on order"]));
  await page.click('[id="place_order.quantity"]');
  await page.keyboard.type(String(quantity));
  await page.click("form button");
  return quantity;
}
async function join(page, [address, token], name) {
  await page.goto(`http://${address}/#${token}`, { waitUntil: "load" });
  await page.waitForSelector("form button", patience);
  if (name) await page.fill('input[name="who"]', name);
  await page.click("form button");
  await page.waitForFunction(() => document.body.textContent.includes("You have joined"), undefined, patience);
}

// ---- the lesson ----
let port = 0;
const links = await start(0);
port = Number(links.teacher[0].split(":")[1]);
const through = [`127.0.0.1:${proxy.address().port}`, links["team 1, distributor"][1]];
let bytes = 0;
for (const path of ["/", "/page.js", "/page.css"]) bytes += gzipSync((await ask("GET", path, "")).text).length;
seen.figures.compressed_bytes = bytes;
expect(bytes <= 100_000, `the page weighs ${bytes} bytes compressed`);

const teacher = await browser("teacher");
await teacher.goto(`http://${links.teacher[0]}/#${links.teacher[1]}`, { waitUntil: "load" });
await teacher.waitForSelector("section.team", patience);
const pages = {};
for (const seat of SEATS) {
  const phone = seat === "retailer" ? { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } : {};
  pages[seat] = await browser(seat, phone);
  const link = seat === "distributor" ? through : links[`team 1, ${seat}`];
  await join(pages[seat], link, seat === "retailer" ? "" : `the ${seat}`);
}
await narrow(pages.retailer, "the lobby");
await accessible(pages.retailer, "the lobby of a player");
await accessible(teacher, "the lobby of the teacher");
const lone = await browser("lone");
await join(lone, links["team 2, wholesaler"], "Ada");
for (const seat of SEATS) await ask("POST", `/api/teams/3/seats/${seat}/join`, links[`team 3, ${seat}`][1], {});
await teacher.getByRole("button", { name: "start" }).click();

// Team 3: an order is in no answer to anybody before the week is over, and in the seat's own state after it.
const states = [];
for (const team of [1, 2, 3]) for (const seat of SEATS) for (const more of ["", "/events"]) states.push([`/api/teams/${team}/seats/${seat}${more}`, links[`team ${team}, ${seat}`][1]]);
states.push(["/api/teacher", links.teacher[1]], ["/api/teacher/events", links.teacher[1]]);
for (const seat of SEATS) states.push(["/api/me", links[`team 3, ${seat}`][1]]);
const tells = async () => {
  const told = [];
  for (const [path, token] of states) if (MARKED.test((await ask("GET", path, token)).text)) told.push(path);
  return told;
};
const decide = (seat, quantity) => ask("POST", `/api/teams/3/seats/${seat}/act`, links[`team 3, ${seat}`][1], { tool: "place_order", arguments: { quantity }, turn: 0 });
for (const seat of SEATS) {
  const last = seat === SEATS.at(-1);
  const answer = await decide(seat, MARK);
  expect(answer.status === 200 && JSON.parse(answer.text).error === false, `an order is answered with ${answer.status} ${answer.text}`);
  if (last) break;
  expect(!MARKED.test(answer.text), `the answer to an order tells it: ${answer.text}`);
  const told = await tells();
  expect(told.length === 0, `a sealed order is in ${told.join(" ")}`);
}
const told = await tells();
expect(told.includes("/api/teams/3/seats/retailer") && told.includes("/api/teacher"), "an order is not shown after its week");
expect(told.every((path) => path.startsWith("/api/teams/3/") || path.startsWith("/api/teacher")), `an order of team 3 is in ${told.join(" ")}`);

// A retailer's token opens the retailer alone.
const foreign = [
  "/api/teams/1/seats/brewery", "/api/teams/1/seats/brewery/events", "/api/teams/2/seats/brewery", "/api/teams/%31/seats/brewery",
  "/api/teams/01/seats/brewery", "/api/teams/1/seats/retailer%2f..%2fbrewery", "/api/teams/1/seats/%62rewery", "/api/teams/1/seats/BREWERY",
  "/api/teams/1/seats/brewery?seat=retailer", "/api/teacher", "/api/teacher/events",
];
const own = links["team 1, retailer"][1];
for (const path of foreign) {
  const answer = await ask("GET", path, own);
  expect(answer.status === 403, `${path} answers ${answer.status} to the retailer`);
}
for (const path of ["/api/teams/1/seats/brewery/act", "/api/teams/1/seats/brewery/join", "/api/teacher/start", "/api/teacher/end"]) {
  const answer = await ask("POST", path, own, {});
  expect(answer.status === 403, `${path} answers ${answer.status} to the retailer`);
}
expect((await ask("GET", "/api/teams/1/seats/retailer", own)).status === 200, "the retailer's own state is refused");

// Eight tabs of one browser, which keeps six connections: those that nobody sees need none.
const tabs = [];
for (let count = 0; count < 8; count += 1) {
  const tab = tabs.length ? await tabs[0].context().newPage() : await browser("tabs");
  tabs.push(tab);
  await tab.addInitScript(() => {
    let hidden = false;
    Object.defineProperty(Document.prototype, "hidden", { get: () => hidden });
    window.hide = (now) => { hidden = now; document.dispatchEvent(new Event("visibilitychange")); };
  });
  const [address, token] = links[`team 3, ${SEATS[count % 4]}`];
  await tab.goto(`http://${address}/#${token}`, { waitUntil: "load", ...patience });
  await week(tab, 1);
  await tab.evaluate(() => window.hide(true));
}
for (const seat of SEATS) await ask("POST", `/api/teams/3/seats/${seat}/act`, links[`team 3, ${seat}`][1], { tool: "place_order", arguments: { quantity: 4 }, turn: 1 });
for (const tab of tabs) {
  expect((await tab.textContent("#where")).startsWith("week 2 "), "a hidden tab is sent weeks");
  await tab.evaluate(() => window.hide(false));
  await week(tab, 2);
  await tab.evaluate(() => window.hide(true));
}
const close = async (page) => {
  browsers.splice(browsers.indexOf(page.context()), 1);
  await page.context().close();
};
await close(tabs[0]);

// A separator of lines in what somebody wrote ends no line of the events.
const [address, token] = links["team 3, retailer"];
const separated = await browser("separated");
await separated.route("**/events", async (route) => {
  const view = JSON.parse((await ask("GET", "/api/teams/3/seats/retailer", token)).text);
  view.rules = "before\u2028after";
  await route.fulfill({ contentType: "text/event-stream", body: `event: seat\ndata: ${JSON.stringify(view)}\n\n` });
});
await separated.goto(`http://${address}/#${token}`, { waitUntil: "load" });
await separated.waitForFunction(() => document.body.textContent.includes("before\u2028after"), undefined, patience);
await close(separated);

// A connection on which nothing arrives any more is given up, and another one is made.
const sleeper = await browser("sleeper");
await sleeper.clock.install();
await sleeper.goto(`http://127.0.0.1:${proxy.address().port}/#${token}`, { waitUntil: "load" });
await week(sleeper, 2);
silent = true;
await sleeper.clock.fastForward(30000);
await sleeper.waitForFunction(() => document.querySelector("#link-state").textContent.includes("Connection lost"), undefined, patience);
silent = false;
await sleeper.clock.fastForward(2000);
await sleeper.waitForFunction(() => document.querySelector("#link-state").textContent === "", undefined, patience);
await close(sleeper);

let list = null;
for (let number = 0; number < WEEKS; number += 1) {
  const turns = SEATS.map((_, k) => SEATS[(k + number) % SEATS.length]);
  if (number === 15) {
    // The distributor decides last: its connection breaks, and comes back once the others have decided.
    turns.splice(turns.indexOf("distributor"), 1);
    turns.push("distributor");
    broken = true;
    for (const socket of open) socket.destroy();
    await pages.distributor.waitForFunction(() => document.querySelector("#link-state").textContent.includes("Connection lost"), undefined, patience);
  }
  for (const [count, seat] of turns.entries()) {
    const page = pages[seat];
    if (number === 15 && seat === "distributor") broken = false;
    await week(page, number);
    await field(page);
    if (number === 5 && count === 0) {
      // The teacher hands a seat to a policy, and its person takes it back.
      await ask("POST", "/api/teacher/bot", links.teacher[1], { team: 1, seat: "brewery", policy: "order-up-to" });
      await pages.brewery.waitForSelector("#bot", patience);
      const refused = await ask("POST", "/api/teams/1/seats/brewery/act", links["team 1, brewery"][1], { tool: "place_order", arguments: { quantity: 4 }, turn: number });
      expect(refused.status === 409, `an order for the seat of a policy is answered with ${refused.status}`);
      await pages.brewery.click("form button");
      await field(pages.brewery);
    }
    if (number === 3 && seat === "retailer") {
      await narrow(page, "a week");
      await accessible(page, "a week");
      await accessible(teacher, "the game of the teacher");
      await page.screenshot({ path: `${out}/classroom-week-narrow.png` });
    }
    if (number === 7 && count === 0) {
      // A list that the teacher has opened stays open while others decide.
      list = await teacher.locator("section.team", { hasText: "Team 1" }).locator("select").first().elementHandle();
      await list.focus();
    }
    await order(page, LEVELS[seat]);
    if (number === 0 && seat === "retailer") seen.figures.clicks_to_first_order = await page.evaluate(() => window.clicks);
    if (count < 3) await sealed(page);
    if (number === 7 && count === 2) {
      expect(await list.evaluate((node) => node.isConnected), "the list of the teacher closed while others decided");
      await list.evaluate((node) => node.blur());
      await teacher.waitForFunction((node) => !node.isConnected, list, patience);
    }
    if (number === 10 && count === 1) {
      await page.reload({ waitUntil: "load" });
      await sealed(page);
    }
    if (number === 20 && count === 1) {
      await kill();
      const again = await start(port);
      expect(JSON.stringify(again) === JSON.stringify(links), "the links have changed");
      // Who had decided has still decided; a page that was loaded before finds out by itself.
      await page.reload({ waitUntil: "load" });
      await sealed(page);
    }
  }
}
for (const seat of SEATS) await pages[seat].waitForFunction(() => document.body.textContent.includes("The game is over"), undefined, patience);
// Teams 2 and 3 still play the same episode.
const cell = (page, name) => page.evaluate((wanted) => [...document.querySelectorAll("tr")].filter((row) => row.cells[0].textContent === wanted).map((row) => [...row.cells].map((of) => of.textContent)), name);
const early = await cell(pages.brewery, "chain cost");
expect(early.length === 0, `results are shown while others play: ${JSON.stringify(early)}`);
expect((await pages.brewery.textContent("#waits")).includes("once every team is over"), "the debrief does not say when the optimum comes");

// Team 2: policies fill the empty seats, and the teacher ends the game after a few weeks.
for (let number = 0; number < 4; number += 1) {
  await week(lone, number);
  await field(lone);
  await order(lone, 32);
}
await week(lone, 4);
await teacher.waitForFunction(() => document.body.textContent.includes("Team 2: week 5 of 36"), undefined, patience);
for (const title of ["Team 2", "Team 3"]) await teacher.locator("section.team", { hasText: title }).getByRole("button", { name: "end this game" }).click();
await lone.waitForFunction(() => document.body.textContent.includes("Closed early (host)"), undefined, patience);
await teacher.waitForFunction(() => document.body.textContent.includes("Team 3: over"), undefined, patience);
await accessible(teacher, "the end of the teacher");
await teacher.screenshot({ path: `${out}/classroom-teacher.png`, fullPage: true });

// Every team is over: the debrief of team 1 shows the optimum by itself.
for (const seat of SEATS) await pages[seat].waitForSelector("#waits", { state: "detached", ...patience });
await narrow(pages.retailer, "the debrief");
await accessible(pages.retailer, "the debrief of a player");
await pages.retailer.screenshot({ path: `${out}/classroom-debrief-narrow.png`, fullPage: true });
const [[, team, optimum] = []] = await cell(pages.brewery, "chain cost");
seen.figures.chain_cost = Number(team);
seen.figures.optimum = Number(optimum);
expect((await cell(pages.brewery, "bullwhip brewery")).length === 1, "the debrief has no bullwhip");
const plots = await pages.brewery.evaluate(() => document.querySelectorAll("figure svg").length);
expect(plots >= 5, `the debrief has ${plots} plots`);
await pages.brewery.screenshot({ path: `${out}/classroom-debrief.png`, fullPage: true });
for (const context of browsers) await context.close();
proxy.close();
const ended = new Promise((done) => server.on("exit", done));
server.kill("SIGINT");
await ended;
console.log(JSON.stringify(seen));
process.exit(0);
