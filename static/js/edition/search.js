/** Searches and heatmaps of the static edition: the parts that change are requested from the app. */
import { find, need } from "../view/base/dom.js";
import { exchange } from "./exchange.js";
import { keptAll } from "./kept.js";
import { openBrowserApp } from "./worker.js";

/** @import { BrowserApp } from "../net/browser-app.js" */

/** What is exchanged on which page: the question, and the element that the answer takes the place of or fills. */
const PARTS = [
  { q: "whatif", selector: "#whatif", whole: true },
  { q: "library", selector: "#cards", whole: false },
  { q: "rules", selector: "#found", whole: false },
];

/** @type {BrowserApp | null} */
let app = null;

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
if (shown) {
  exchange(shown, (q, question) => {
    app ??= openBrowserApp();
    return app.request(q, question);
  });
}
if (find(".units")) marks();
