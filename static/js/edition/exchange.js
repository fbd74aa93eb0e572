/** A part of a page that shows the answer to a query: the app is asked for it, as htmx asks a server. */
import { el, find, focused, need } from "../view/base/dom.js";

/**
 * What is exchanged: the question, and the element that the answer takes the place of or fills.
 * @typedef {{ q: string, selector: string, whole: boolean }} Part
 * @typedef {(q: string, question: { query: string }) => Promise<{ html: string }>} Ask
 */

const PAUSE_MS = 250;
let timer = 0;
let newest = 0;
/** The name of what had the keyboard when its part began to wait. */
let held = "";

/**
 * Exchange the part for the one that belongs to a query.
 * @param {Part} part
 * @param {Ask} ask
 * @param {string} query
 */
async function show(part, ask, query) {
  newest += 1;
  const mine = newest;
  const old = need(part.selector);
  const on = focused();
  if (on && old.contains(on)) held = on.id;
  wait(old, true);
  find("#not-found")?.remove();
  try {
    const { html } = await ask(part.q, { query });
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
 * @param {Ask} ask
 * @param {string} query
 */
function go(part, ask, query) {
  history.pushState(null, "", `?${query}`);
  return show(part, ask, query);
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

/**
 * Answer each query of the page from now on, also the one in its address.
 * @param {Part} part
 * @param {Ask} ask
 * @returns {(query: string) => Promise<void>} what asks for another query
 */
export function exchange(part, ask) {
  addEventListener("submit", (event) => {
    if (!isQuery(event.target) || event.defaultPrevented) return;
    event.preventDefault();
    go(part, ask, queryOf(event.target));
  });
  addEventListener("change", (event) => {
    const { form } = /** @type {HTMLInputElement} */ (event.target);
    if (isQuery(form)) go(part, ask, queryOf(form));
  });
  addEventListener("input", (event) => {
    const { form } = /** @type {HTMLInputElement} */ (event.target);
    if (part.whole || !isQuery(form)) return;
    clearTimeout(timer);
    timer = setTimeout(() => go(part, ask, queryOf(form)), PAUSE_MS);
  });
  addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("#whatif a[href^='?']");
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(part, ask, (link.getAttribute("href") ?? "").slice(1));
  });
  addEventListener("popstate", () => show(part, ask, location.search.slice(1)));
  const query = location.search.slice(1);
  if (query) show(part, ask, query);
  return (other) => go(part, ask, other);
}
