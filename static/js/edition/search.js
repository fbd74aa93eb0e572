/** Searches and heatmaps of the static edition: the parts that change are requested from the app, as htmx requests them from a server. */
import { el, find, focused, need } from "../view/base/dom.js";
import { keptAll } from "./kept.js";
import { openBrowserApp } from "./worker.js";

/** @import { BrowserApp } from "../net/browser-app.js" */

const PAUSE_MS = 250;
/** @typedef {typeof PARTS[number]} Part */

/** What is exchanged on which page: the question, and the element that the answer takes the place of or fills. */
const PARTS = [
  { q: "whatif", selector: "#whatif", whole: true },
  { q: "library", selector: "#cards", whole: false },
  { q: "rules", selector: "#found", whole: false },
];

/** @type {BrowserApp | null} */
let app = null;
let timer = 0;
let newest = 0;
/** The name of what had the keyboard when its part began to wait. */
let held = "";

/**
 * Exchange the part for the one that belongs to a query.
 * @param {Part} part
 * @param {string} query
 */
async function show(part, query) {
  newest += 1;
  const mine = newest;
  const old = need(part.selector);
  const on = focused();
  if (on && old.contains(on)) held = on.id;
  wait(old, true);
  find("#not-found")?.remove();
  app ??= openBrowserApp();
  try {
    const { html } = await app.request(part.q, { query });
    if (mine !== newest) return;
    if (part.whole) old.outerHTML = html;
    else old.innerHTML = html;
  } catch (error) {
    if (mine === newest) old.before(el("p.error", { id: "not-found", role: "alert" }, /** @type {Error} */ (error).message));
  }
  if (mine !== newest) return;
  wait(need(part.selector), false);
  document.body.dispatchEvent(new CustomEvent("htmx:afterSettle"));
  if (held && focused() === document.body) document.getElementById(held)?.focus();
  held = "";
}

/**
 * While the app works, the part still shows the answer to an earlier question, so it cannot be used.
 * @param {HTMLElement} place
 * @param {boolean} waiting
 */
function wait(place, waiting) {
  place.inert = waiting;
  if (waiting) place.setAttribute("aria-busy", "true");
  else place.removeAttribute("aria-busy");
}

/**
 * @param {Part} part
 * @param {string} query
 */
function go(part, query) {
  history.pushState(null, "", `?${query}`);
  show(part, query);
}

/** @param {HTMLFormElement} form */
function queryOf(form) {
  return new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)])).toString();
}

/**
 * Whether it is a form that requests another view: its action is this page's, by get.
 * @param {EventTarget | null} form
 * @returns {form is HTMLFormElement}
 */
function isQuery(form) {
  return form instanceof HTMLFormElement && form.method === "get" && !form.dataset.openLink;
}

/** @param {Part} part */
function listen(part) {
  addEventListener("submit", (event) => {
    if (!isQuery(event.target) || event.defaultPrevented) return;
    event.preventDefault();
    go(part, queryOf(event.target));
  });
  addEventListener("change", (event) => {
    const { form } = /** @type {HTMLInputElement} */ (event.target);
    if (isQuery(form)) go(part, queryOf(form));
  });
  addEventListener("input", (event) => {
    const { form } = /** @type {HTMLInputElement} */ (event.target);
    if (part.whole || !isQuery(form)) return;
    clearTimeout(timer);
    timer = setTimeout(() => go(part, queryOf(form)), PAUSE_MS);
  });
  addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("#whatif a[href^='?']");
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(part, (link.getAttribute("href") ?? "").slice(1));
  });
  addEventListener("popstate", () => show(part, location.search.slice(1)));
  const query = location.search.slice(1);
  if (query) show(part, query);
}

/** The marks of what this browser has done, on the list of units, and before it what is to be asked again. */
async function marks() {
  const works = await keptAll("work-");
  if (!Object.keys(works).length) return;
  app ??= openBrowserApp();
  const { html, go_on: goOn, review } = await app.request("units", { works });
  need(".units").innerHTML = html;
  need("[data-go-on]").innerHTML = goOn;
  need(".units").insertAdjacentHTML("beforebegin", review);
}

const shown = PARTS.find(({ selector }) => find(selector));
if (shown) listen(shown);
if (find(".units")) marks();
