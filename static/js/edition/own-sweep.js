/** A small sweep that workers of this browser run, because the server has no place for it; its heatmap, and the runs of its cells. */
import { fill, gettext, messageOf } from "../model/text.js";
import { BrowserApp } from "../net/browser-app.js";
import { el, find, findAll, need, setText, show, targetOf } from "../view/base/dom.js";
import { startGrid } from "../whatif/grid.js";
import { exchange } from "./exchange.js";
import { kept, keeper } from "./kept.js";
import { SweepWorkers } from "./sweep-workers.js";

/** @import { Plan, Done } from "./sweep-workers.js" */

/** Under this name the latest heatmap is kept. */
const KEPT = "own-sweep";
const MOST_WORKERS = 4;

/** @type {{ worker: string, place: string, run: string, begins: boolean }} */
const given = JSON.parse(need("#own-sweep").textContent);
const form = need("[data-ask]", HTMLFormElement);
const problem = need("[data-problem]", form);
const stop = need("[data-stop]", form);
const progress = need("[data-progress]", form);
const bar = need("progress", HTMLProgressElement, progress);
const words = need("[data-words]", progress);
const tip = need("#whatif-tip");

const app = () => new BrowserApp(new URL(given.place, location.href).href, document.documentElement.lang, "", () => new Worker(new URL(given.worker, location.href), { type: "module" }));

/** One that plans, runs cells, and shows the heatmap. */
const first = app();
/** @type {SweepWorkers | null} what runs now */
let workers = null;
/** @type {((query: string) => Promise<void>) | null} */
let view = null;

/**
 * How far it is, in words: cells, time left, and how much the cells differ.
 * @param {Done} done
 */
function tell({ done, cells, left_s: left, middle_s: middle, slowest_s: slowest, failed, failure }) {
  bar.max = cells;
  bar.value = done;
  const parts = [fill(gettext("%(done)s of %(cells)s runs"), { done, cells })];
  if (done) {
    parts.push(fill(gettext("about %(left)s s left"), { left: Math.ceil(left) }));
    parts.push(fill(gettext("a run takes %(middle)s s, the slowest %(slowest)s s"), { middle: middle.toFixed(1), slowest: slowest.toFixed(1) }));
  }
  if (failed) parts.push(fill(gettext("%(failed)s failed: %(why)s"), { failed, why: failure }));
  setText(words, parts.join(" · "));
}

/** Run what the form asks for. */
async function run() {
  show(problem, false);
  show(progress, true);
  show(stop, true);
  setText(words, gettext("The engine is being loaded into this browser …"));
  const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  /** @type {Plan} */
  const plan = await first.request("sweep", fields);
  const remarks = need("[data-remarks]", form);
  show(remarks, plan.remarks.length > 0);
  need("ul", remarks).replaceChildren(...plan.remarks.map((each) => el("li", {}, each)));
  const count = Math.min(MOST_WORKERS, plan.order.length, Math.max(1, (navigator.hardwareConcurrency || 2) - 1));
  workers = new SweepWorkers([first, ...Array.from({ length: count - 1 }, app)], tell);
  const rows = await workers.run(plan);
  if (!rows) return;
  const { name, document: heatmap } = await first.request("sweep_heatmap", { sweep: plan.sweep, rows });
  await keeper(KEPT)({ name, document: heatmap });
  await look(`h=${name}`);
}

/**
 * Show the heatmap, and answer its pickers from now on.
 * @param {string} query
 */
async function look(query) {
  show(need("#whatif"), true);
  view ??= exchange({ q: "whatif", selector: "#whatif", whole: true }, (q, question) => first.request(q, question));
  await view(query);
  find(".whatif-cell[tabindex='0']")?.focus();
}

function over() {
  workers = null;
  show(stop, false);
}

/** @param {unknown} error */
function fail(error) {
  setText(problem, messageOf(error));
  show(problem, true);
  show(progress, false);
}

/**
 * Open the run of a cell: in this browser, from a link that carries it.
 * @param {string} cell
 */
async function openCell(cell) {
  const found = await first.request("cell", { heatmap: new URLSearchParams(location.search).get("h"), cell });
  const { packed } = await first.request("share", { scenario: found.scenario });
  if (!packed) throw new Error(gettext("This run is too long for a link."));
  location.assign(`${given.run}?${new URLSearchParams({ x: packed, at: String(found.at_us) })}`);
}

/** @param {SubmitEvent} event */
function submitted(event) {
  const sent = targetOf(event, HTMLFormElement);
  if (sent === form) {
    event.preventDefault();
    if (!workers) run().catch(fail).finally(over);
  } else if (sent.closest("#whatif") && sent.method === "post") {
    event.preventDefault();
    const cell = event.submitter?.getAttribute("value");
    if (cell) openCell(cell).catch(fail);
  }
}

stop.addEventListener("click", () => workers?.end());
addEventListener("submit", submitted);
document.body.addEventListener("htmx:afterSettle", () => {
  const root = need("#whatif");
  startGrid(root, tip);
  // What asks the server, or its operator, for a heatmap that only this browser has.
  for (const link of findAll(".whatif-links, form[action$='/compare/'], a[href$='/own/'], .whatif-findings > .help", root)) link.remove();
});

/** The latest heatmap, where the address names it. */
async function again() {
  const before = await kept(KEPT);
  const query = location.search.slice(1);
  if (!before || new URLSearchParams(query).get("h") !== before.name) return;
  await first.request("sweep_kept", { document: before.document });
  await look(query);
}

if (given.begins) form.requestSubmit();
else again().catch(fail);
