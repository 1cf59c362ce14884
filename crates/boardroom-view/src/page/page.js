"use strict";
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const form = $("#filter");
const rows = () => $$("#runs tbody tr");
const number = (text) => (text === "" || text === undefined ? NaN : Number(text));

// Filters stand in the address, so that a link and the back button bring them back.
function filter() {
  if (!form) return;
  const wanted = new FormData(form);
  const get = (name) => (wanted.get(name) || "").trim();
  const [q, column, low, high] = [get("q").toLowerCase(), get("column"), number(get("low")), number(get("high"))];
  let shown = 0;
  for (const row of rows()) {
    const data = row.dataset;
    let keep = !q || row.textContent.toLowerCase().includes(q);
    for (const name of ["environment", "agent", "status"]) keep &&= !get(name) || data[name] === get(name);
    if (column && !(Number.isNaN(low) && Number.isNaN(high))) {
      const value = number(data[column]);
      keep &&= !Number.isNaN(value) && !(value < low) && !(value > high);
    }
    row.hidden = !keep;
    shown += keep ? 1 : 0;
  }
  const all = rows().length;
  $("#count").textContent = shown === all ? "" : `${shown} of ${all}`;
  const address = new URLSearchParams([...wanted].filter(([, value]) => value !== ""));
  const text = address.toString();
  if (text !== location.search.slice(1)) history.replaceState(null, "", (text ? `?${text}` : location.pathname.split("/").pop() || "index.html") + location.hash);
}
if (form) {
  for (const [name, value] of new URLSearchParams(location.search)) if (form.elements[name]) form.elements[name].value = value;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => { event.preventDefault(); filter(); });
  form.addEventListener("reset", () => setTimeout(filter, 0));
  filter();
}

let sorted = null;
function sort() {
  if (!sorted) return;
  const table = $(sorted.table);
  const heads = table ? $$("thead th", table) : [];
  const head = heads[sorted.column];
  if (!head) return;
  for (const other of heads) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", sorted.up ? "ascending" : "descending");
  const key = (row) => row.cells[sorted.column].dataset.value ?? row.cells[sorted.column].textContent;
  const body = table.tBodies[0];
  const list = [...body.rows].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    const [m, n] = [number(x), number(y)];
    if (Number.isNaN(m) !== Number.isNaN(n)) return Number.isNaN(m) ? 1 : -1;
    const order = Number.isNaN(m) ? x.localeCompare(y) : m - n;
    return sorted.up ? order : -order;
  });
  body.append(...list);
}
document.addEventListener("click", (event) => {
  const head = event.target.closest("table.sortable th");
  if (!head || !event.target.closest("button")) return;
  sorted = { table: "table.sortable", column: head.cellIndex, up: head.getAttribute("aria-sort") !== "ascending" };
  sort();
});

// Keys. Fields and keys with a modifier are left alone.
function places() { return $$("[data-turn]").length ? $$("[data-turn]") : rows().filter((row) => !row.hidden); }
let at = -1;
function move(by) {
  const all = places();
  if (!all.length) return;
  at = Math.max(0, Math.min(all.length - 1, at + by));
  for (const other of $$("tr.at")) other.classList.remove("at");
  const place = all[at];
  place.classList.add("at");
  const target = place.matches("tr") ? $("a", place) : place;
  target?.focus({ preventScroll: true });
  place.scrollIntoView({ block: "nearest" });
}
document.addEventListener("keydown", (event) => {
  const field = event.target.closest("input, select, textarea");
  if (field) { if (event.key === "Escape") field.blur(); return; }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "o") {
    const folded = $$("details");
    const open = folded.some((part) => !part.open);
    for (const part of folded) part.open = open;
  } else {
    const all = $$("[data-key]").filter((part) => part.dataset.key === event.key);
    const part = all[all.length - 1];
    if (!part) return;
    part.focus();
    if (!part.matches("input")) part.click();
  }
  event.preventDefault();
});

// The server says that something changed; the page is fetched again and its live parts are replaced. A page
// that nobody sees closes its stream: a browser opens six connections to a host, and with six streams the
// seventh page would not load.
const events = document.body.dataset.events;
if (events) {
  const say = (text) => { $("#changed").textContent = text; };
  let source = null;
  let busy = false, again = false;
  const renew = async () => {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const answer = await fetch(location.href, { cache: "no-store" });
      if (answer.ok) {
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
        const focus = document.activeElement?.getAttribute?.("href");
        for (const old of $$("[data-live]")) {
          const part = fresh.getElementById(old.id);
          if (part && part.textContent !== old.textContent) old.replaceChildren(...part.childNodes);
        }
        sort();
        filter();
        if (focus && document.activeElement === document.body) $$("a").find((link) => link.getAttribute("href") === focus)?.focus({ preventScroll: true });
      }
    } catch { /* the server has ended; the page stays as it is */ }
    busy = false;
    if (again) { again = false; renew(); }
  };
  const watch = () => {
    source?.close();
    source = null;
    if (document.hidden) return;
    source = new EventSource(events);
    source.addEventListener("changed", renew);
    const full = () => say("too many pages are open: this one is not updated until it is loaded again");
    source.addEventListener("full", (event) => { event.target.close(); full(); });
    // A lost connection is tried again by the browser; only a refusal closes the stream for good.
    source.onerror = (event) => { if (event.target.readyState === EventSource.CLOSED) full(); else say("the server does not answer"); };
    // Something may have changed between the page and the first event.
    source.onopen = () => { say(""); renew(); };
  };
  document.addEventListener("visibilitychange", watch);
  watch();
}
