/** What every page of the static edition does: its language is another folder, and its forms lead to other files. */
import { find } from "../view/base/dom.js";

/** The folder of this language. */
export const root = new URL(document.documentElement.dataset.root, location.href);

/** Another page, with what it is to show: `to("play/", {s: "first-burst"})`. */
export function to(page, query = {}, fragment = "") {
  const address = new URL(`${page}index.html`, root);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  address.hash = fragment;
  return address.href;
}

/** Where the forms of the server's pages lead here, by the end of their action. */
const FORMS = [
  { end: "/s/new", leads: ({ scenario, profile }) => to("play/", scenario ? { s: scenario } : { profile: profile ?? "classroom", again: "1" }) },
  { end: "/whatif/open/", leads: ({ heatmap, cell }) => to("play/", { h: heatmap, cell }) },
];
const SERVER = "needs-a-server/";

function speak() {
  const form = find("[data-language-form]");
  const choice = find("#language");
  const go = () => location.assign(new URL(`../${choice.value}/${location.href.slice(root.href.length)}`, root).href);
  // The palette sends the form, and so does the page's own script: both mean this.
  form.submit = go;
}

function leave(event) {
  const { target: form, submitter } = event;
  if (form.method === "dialog" || event.defaultPrevented) return;
  const action = form.getAttribute("action") ?? "";
  if (!action) return;
  event.preventDefault();
  const found = FORMS.find(({ end }) => action.endsWith(end));
  location.assign(found ? found.leads(/** @type {any} */ (Object.fromEntries(new FormData(form, submitter)))) : to(SERVER));
}

/** Another view of a heatmap is made by a server. */
function asksServer(event) {
  if (!(event.target instanceof Element) || !event.target.closest(event.type === "click" ? ".whatif a[href^='?']" : ".whatif form")) return;
  event.preventDefault();
  location.assign(to(SERVER));
}

speak();
addEventListener("submit", leave);
addEventListener("click", asksServer);
addEventListener("change", asksServer);
