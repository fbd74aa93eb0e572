/** What every page of the static edition does: its language is another folder, and its forms lead to other files. */
import { dataOf, find, findAll, listenerOf, need, show, targetOf } from "../view/base/dom.js";

/** @typedef {Record<string, string>} Query */

/** The folder of this language. */
export const root = new URL(dataOf(document.documentElement, "root"), location.href);

/**
 * Another page, with what it is to show: `to("play/", {s: "first-burst"})`.
 * @param {string} page
 * @param {Query} query
 */
export function to(page, query = {}, fragment = "") {
  const address = new URL(`${page}index.html`, root);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  address.hash = fragment;
  return address.href;
}

/** The run in an address of this edition, and in one of a server. */
const X_LINKS = [/[#?&]x=([A-Za-z0-9_-]{2,8000})/, /^[a-z]+:\/\/[^/]+(?:\/[^?#]*)?\/x\/([A-Za-z0-9_-]{2,8000})/];

/**
 * The run that a link carries, from whichever edition, and the place in it; null where it carries none.
 * @param {string} link
 */
export function runOf(link) {
  const packed = X_LINKS.map((each) => link.match(each)?.[1]).find(Boolean);
  if (!packed) return null;
  /** @type {Query} */
  const place = {};
  for (const name of ["at", "n", "msg"]) {
    const value = link.match(new RegExp(`[?&#]${name}=(\\d{1,16})`))?.[1];
    if (value) place[name] = value;
  }
  return { packed, place };
}

/**
 * Where the forms of the server's pages lead here, by the end of their action.
 * @type {{ end: string, leads: (values: Query) => string }[]}
 */
const FORMS = [
  { end: "/s/new", leads: ({ scenario, profile, release }) => to("play/", scenario ? { s: scenario, ...(release ? { release } : {}) } : { profile: profile ?? "classroom", again: "1" }) },
  { end: "/whatif/open/", leads: ({ heatmap, cell }) => to("play/", { h: heatmap, cell }) },
];
const SERVER = "needs-a-server/";

function bindLanguage() {
  const form = need("[data-language-form]", HTMLFormElement);
  const choice = need("#language", HTMLSelectElement);
  const go = () => location.assign(new URL(`../${choice.value}/${location.href.slice(root.href.length)}`, root).href);
  // The palette sends the form, and so does the page's own script: both mean this.
  form.submit = go;
}

/**
 * Forms that send something lead to the page that replaces them here. Those of a task belong to the exercise, and searches go to the app.
 * @param {SubmitEvent} event
 */
function leave(event) {
  const form = targetOf(event, HTMLFormElement);
  const { submitter } = event;
  if (form.method !== "post" || event.defaultPrevented || form.closest("#task")) return;
  event.preventDefault();
  const action = form.getAttribute("action") ?? "";
  const found = FORMS.find(({ end }) => action.endsWith(end));
  location.assign(found ? found.leads(fieldsOf(new FormData(form, submitter))) : to(SERVER));
}

/**
 * The fields of a form as texts.
 * @param {FormData} data
 * @returns {Query}
 */
const fieldsOf = (data) => Object.fromEntries([...data].map(([name, value]) => [name, String(value)]));

/** @param {Event} event */
function openLink(event) {
  event.preventDefault();
  const form = listenerOf(event, HTMLFormElement);
  const run = runOf(need("[name=link]", HTMLInputElement, form).value);
  show(find("[role=alert]", form), !run);
  if (run) location.assign(to("play/", run.place, `x=${run.packed}`));
}

bindLanguage();
addEventListener("submit", leave);
for (const form of findAll("[data-open-link]")) form.addEventListener("submit", openLink);
