/** The playground of the static edition: a session that the reader's own browser plays, and remembers. */
import { fill, gettext } from "../model/text.js";
import { need } from "../view/base/dom.js";
import { worker } from "./early.js";
import { PROFILES, openRun } from "./open-run.js";
import { showOpening } from "./opening.js";
import { root, runOf, to } from "./page.js";
import { openBrowserApp } from "./worker.js";

/**
 * @import { BrowserApp } from "../net/browser-app.js"
 * @import { Opening } from "../net/opening-run.js"
 * @import { ChosenRun, FoundRun } from "./open-run.js"
 */

const SLUG = /^[a-z0-9-]{1,60}$/;

/**
 * How a ready run begins, recorded; null where that is not to be had: the page then waits for its engine.
 * @param {string} slug
 * @returns {Promise<Opening | null>}
 */
async function openingOf(slug) {
  try {
    const answer = await fetch(new URL(`../data/openings/${slug}.json`, root));
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/**
 * A ready run by its name, or an empty one of a profile.
 * @param {URLSearchParams} query
 */
async function ready(query) {
  const slug = query.get("s") ?? "free";
  const profile = query.get("profile") ?? "";
  const asked = SLUG.test(slug) ? fetch(new URL(`data/${slug}.json`, root)) : null;
  const opening = asked && !profile ? openingOf(slug) : null;
  const answer = await asked;
  if (!answer?.ok) throw new Error(fill(gettext("There is no scenario %(name)s here."), { name: slug }));
  const found = await answer.json();
  if (slug === "free" && profile in PROFILES) found.scenario = { ...found.scenario, profile };
  return { ...found, opening: await opening, name: profile ? `free-${profile}` : slug };
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

async function start() {
  const query = new URLSearchParams(location.search);
  showOpening(worker);
  const app = openBrowserApp(() => worker);
  await openRun(query, app, await chosenRun(query, app), (packed) => to("play/", {}, `x=${packed}`));
}

start().catch((error) => {
  need("#situation").textContent = error.message;
});
