/** A run of a server's that the reader's own browser plays, because the server has no place for another session. */
import { fill, gettext } from "../model/text.js";
import { BrowserApp } from "../net/browser-app.js";
import { need, targetOf } from "../view/base/dom.js";
import { Alerts } from "../view/base/alerts.js";
import { openRun } from "./open-run.js";
import { showOpening } from "./opening.js";

/**
 * @import { Values } from "../model/catalogue/types.js"
 * @import { ChosenRun, FoundRun } from "./open-run.js"
 */

/**
 * What the server wrote into the page: where the engine lies, what a link carries or what is kept of a run, and under which name.
 * @typedef {{ worker: string, place: string, link: string, name: string, at_us?: number, packed?: string, kept?: Values, found?: FoundRun }} Given
 */

/**
 * The run, as this browser's engine reads it; the server has checked the run of a session.
 * @param {BrowserApp} app
 * @param {Given} given
 * @returns {Promise<ChosenRun>}
 */
async function chosenRun(app, { name, at_us: at = undefined, packed, kept, found }) {
  /** @type {FoundRun} */
  const run = found ?? (await (packed ? app.request("link", { packed }) : app.request("kept", kept)));
  return { name, at_us: at, ...run };
}

async function start() {
  /** @type {Given} */
  const given = JSON.parse(need("#live-data").textContent).browser_run;
  const worker = new Worker(new URL(given.worker, location.href), { type: "module" });
  const place = new URL(given.place, location.href).href;
  worker.postMessage({ prepare: place });
  showOpening(worker);
  const app = new BrowserApp(place, document.documentElement.lang, "", () => worker);
  // What only a session of the server has: the page says so instead of sending it.
  addEventListener("submit", (event) => {
    const form = targetOf(event, HTMLFormElement);
    if (form.method !== "post" || form.matches("[data-language-form]")) return;
    event.preventDefault();
    new Alerts(need("#alerts")).flash(gettext("This needs a session on the server. Make a link with Share, and open it when the server has a place."));
  });
  await openRun(new URLSearchParams(location.search), app, await chosenRun(app, given), (packed) => new URL(given.link.replace("/00/", `/${packed}/`), location.href).href);
}

start().catch((error) => {
  need("#situation").textContent = fill(gettext("Your browser cannot run the engine: %(error)s"), { error: error.message });
});
