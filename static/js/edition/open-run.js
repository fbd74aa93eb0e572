/** A run that the reader's own browser plays: on the release that the address names, from where its log has come, as a session's page. */
import { gettext } from "../model/text.js";
import { BrowserHost } from "../net/browser.js";
import { openSession } from "../pages/session-page.js";
import { dataOf, el, find, need, setText, show } from "../view/base/dom.js";
import { goesOnWith, goOnWith, kept, keeper } from "./kept.js";

/**
 * @import { Values } from "../model/catalogue/types.js"
 * @import { BrowserApp } from "../net/browser-app.js"
 * @import { Opening } from "../net/opening-run.js"
 */

/**
 * A run as the app, a file or a server gives it, and with the name under which its log is kept. `made_with` is the engine that reached
 * the digest of a link's run; `commands` and `until_us` are what was done in a session so far; `opening` is
 * how it begins, recorded.
 * @typedef {{ scenario: Values, story: Values | null, title?: string, at_us?: number | null, made_with?: string, commands?: unknown[], until_us?: number, opening?: Opening | null }} FoundRun
 * @typedef {FoundRun & { name: string }} ChosenRun
 */

const sizes = need("[data-sizes]");
/** @type {Record<string, string>} */
export const PROFILES = JSON.parse(dataOf(sizes, "sizes"));
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
  return { scenario: taken.scenario, story: null, title: chosen.title, name: `${chosen.name}-on-${release}`, at_us: chosen.at_us, commands: chosen.commands, until_us: chosen.until_us };
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

/**
 * Open a run in this page.
 * @param {URLSearchParams} query of this page: the place in the run, its release, and whether it begins again
 * @param {BrowserApp} app
 * @param {ChosenRun} chosen
 * @param {(packed: string) => string} linkOf the address of a run that a link carries
 */
export async function openRun(query, app, chosen, linkOf) {
  const live = JSON.parse(need("#live-data").textContent);
  let ran = chosen.name;
  offerReleases(query, () => ran);
  const { scenario, story, title, name, opening, made_with = "", at_us: peak = null, commands = [], until_us: until = 0 } = await onRelease(query, app, chosen);
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
  const log = (left ? await kept(left) : null) ?? (await kept(name)) ?? (await kept(chosen.name)) ?? { commands, until_us: Math.max(until, begins) };
  const begun = opening && !log.commands.length && log.until_us <= opening.ends_us ? opening : null;
  document.title = `${title || gettext("Playground")} \u00b7 Waterline`;
  const data = { ...live, session: `static-${name.slice(0, 60)}`, scenario, story, place };
  setText(sizes, PROFILES[scenario.profile] ?? scenario.profile);
  need("form.release [name=release]", HTMLSelectElement).value = scenario.settings?.release ?? SERIES[scenario.profile];
  if (story) need("#story-heading").textContent = story.title;
  show(find("#story"), Boolean(story));
  need("#live").classList.toggle("has-story", Boolean(story));
  openSession(need("#live"), data, new BrowserHost(app.place, { scenario, made_with, ...log, opening: begun }, keeper(name), () => app.worker, app, linkOf));
  need("[data-opening]").toggleAttribute("inert", false);
}

