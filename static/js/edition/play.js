/** The playground of the static edition: a session that the reader's own browser plays, and remembers. */
import { fill, gettext } from "../model/text.js";
import { BrowserHost } from "../net/browser.js";
import { openSession } from "../pages/session-page.js";
import { dataOf, el, find, need, setText, show } from "../view/base/dom.js";
import { worker } from "./early.js";
import { goesOnWith, goOnWith, kept, keeper } from "./kept.js";
import { showOpening } from "./opening.js";
import { root, runOf, to } from "./page.js";
import { openBrowserApp } from "./worker.js";

/**
 * @import { Values } from "../model/catalogue/types.js"
 * @import { BrowserApp } from "../net/browser-app.js"
 */

/**
 * A run as the app or a file gives it, and with the name under which its log is kept.
 * `made_with` is the engine that reached the digest of a link's run.
 * @typedef {{ scenario: Values, story: Values | null, title?: string, at_us?: number | null, made_with?: string }} FoundRun
 * @typedef {FoundRun & { name: string }} ChosenRun
 */

const SLUG = /^[a-z0-9-]{1,60}$/;
const sizes = need("[data-sizes]");
/** @type {Record<string, string>} */
const PROFILES = JSON.parse(dataOf(sizes, "sizes"));
/** @type {Record<string, string>} */
const SERIES = JSON.parse(dataOf(sizes, "series"));

/** The run is played to a moment up to here, so that log and charts have what led to it; at a later one it begins. */
const PLAYED_US = 60_000_000;

/**
 * A whole number of the address, or null.
 * @param {URLSearchParams} query
 * @param {string} name
 */
function whole(query, name) {
  const text = query.get(name) ?? "";
  return /^\d{1,16}$/.test(text) ? Number(text) : null;
}

/**
 * A ready run by its name, or an empty one of a profile.
 * @param {URLSearchParams} query
 */
async function ready(query) {
  const slug = query.get("s") ?? "free";
  const answer = SLUG.test(slug) ? await fetch(new URL(`data/${slug}.json`, root)) : null;
  if (!answer?.ok) throw new Error(fill(gettext("There is no scenario %(name)s here."), { name: slug }));
  const found = await answer.json();
  const profile = query.get("profile") ?? "";
  if (slug === "free" && profile in PROFILES) found.scenario = { ...found.scenario, profile };
  return { ...found, name: profile ? `free-${profile}` : slug };
}

/**
 * @param {string} name
 * @param {FoundRun} found
 * @returns {ChosenRun}
 */
const named = (name, found) => ({ name, ...found });

/**
 * What the address names: the run, its story, and under which name its log is kept.
 * @param {URLSearchParams} query
 * @param {BrowserApp} app
 * @returns {Promise<ChosenRun>}
 */
async function chosenRun(query, app) {
  const run = runOf(location.href);
  if (run) return named(`x-${run.packed}`, await app.request("link", { packed: run.packed }));
  const [heatmap, cell] = [query.get("h"), query.get("cell")];
  if (heatmap && cell) return named(`cell-${heatmap}-${cell}`, await app.request("cell", { heatmap, cell }));
  return ready(query);
}

/**
 * The same run on the release that the address names; what of it does not exist there is said above the page.
 * @param {URLSearchParams} query
 * @param {BrowserApp} app
 * @param {ChosenRun} chosen
 * @returns {Promise<ChosenRun>}
 */
async function onRelease(query, app, chosen) {
  const release = query.get("release") ?? "";
  const taken = release ? await app.request("release", { release, scenario: chosen.scenario }) : null;
  if (!taken?.scenario) return chosen;
  if (taken.said.length)
    need("#main").before(el("ul.messages", { role: "status" }, ...taken.said.map((/** @type {string} */ text) => el("li", {}, text))));
  return { scenario: taken.scenario, story: null, title: chosen.title, name: `${chosen.name}-on-${release}`, at_us: chosen.at_us };
}

/**
 * Choosing a release opens the same commands there: those given so far on the release that one leaves.
 * @param {URLSearchParams} query
 * @param {() => string} name of the log of this page's run
 */
function offerReleases(query, name) {
  const form = need("form.release", HTMLFormElement);
  form.submit = () => {
    goOnWith(name());
    query.set("release", need("[name=release]", HTMLSelectElement, form).value);
    location.search = `?${query}`;
  };
}

async function start() {
  const live = JSON.parse(need("#live-data").textContent);
  const query = new URLSearchParams(location.search);
  showOpening(worker);
  const app = openBrowserApp(() => worker);
  const chosen = await chosenRun(query, app);
  let ran = chosen.name;
  offerReleases(query, () => ran);
  const { scenario, story, title, name, made_with = "", at_us: peak = null } = await onRelease(query, app, chosen);
  if (query.has("again")) {
    await keeper(name)({ commands: [], until_us: 0 });
    query.delete("again");
    history.replaceState(null, "", `?${query}`);
  }
  const place = { at_us: whole(query, "at") ?? peak, number: whole(query, "n"), msg: whole(query, "msg"), view: "" };
  ran = name;
  const left = goesOnWith();
  const moment = Math.min(place.at_us ?? 0, scenario.until_us);
  const begins = moment > PLAYED_US ? moment : 0;
  const log = (left ? await kept(left) : null) ?? (await kept(name)) ?? (await kept(chosen.name)) ?? { commands: [], until_us: begins };
  document.title = `${title || gettext("Playground")} \u00b7 Waterline`;
  const data = { ...live, session: `static-${name.slice(0, 60)}`, scenario, story, place };
  setText(sizes, PROFILES[scenario.profile] ?? scenario.profile);
  need("form.release [name=release]", HTMLSelectElement).value = scenario.settings?.release ?? SERIES[scenario.profile];
  if (story) need("#story-heading").textContent = story.title;
  show(find("#story"), Boolean(story));
  need("#live").classList.toggle("has-story", Boolean(story));
  const linkOf = (/** @type {string} */ packed) => to("play/", {}, `x=${packed}`);
  openSession(need("#live"), data, new BrowserHost(app.place, { scenario, made_with, ...log }, keeper(name), () => app.worker, app, linkOf));
  need("[data-opening]").toggleAttribute("inert", false);
}

start().catch((error) => {
  need("#situation").textContent = error.message;
});
