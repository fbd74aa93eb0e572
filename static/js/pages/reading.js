/** A page to read: numbers that can be dragged, and a small stage that shows the run with them. */
import "../generations/all.js";
import { History } from "../model/history.js";
import { Playhead } from "../model/playhead.js";
import { Session } from "../model/session.js";
import { situation } from "../model/situation.js";
import { clock, gettext } from "../model/text.js";
import { Rerun } from "../net/rerun.js";
import { find, need, setText, show, targetOf, throttle } from "../view/base/dom.js";
import { watchColors } from "../view/base/colors.js";
import { StageView } from "../view/stage/stage.js";

/**
 * @import { WholeRun } from "../net/rerun.js"
 */

/** @typedef {WholeRun & { sentences: Record<string, string>, holds: Record<string, boolean> }} CheckedRun with its sentences, and whether each one holds */

const WAIT_MS = 250;
const root = need("#reading");
const address = JSON.parse(need("#reading-data").textContent).run;
const form = need("[data-numbers]", HTMLFormElement, root);
const scrub = need("[data-scrub]", HTMLInputElement, root);
const session = new Session(new History());
const playhead = new Playhead(session);
const stage = new StageView(need("[data-stage]", HTMLCanvasElement, root), playhead);
watchColors(() => stage.refresh());

playhead.listen((change) => {
  stage.update(change);
  writeStatus();
});

/**
 * The run with some numbers.
 * @param {string} query
 * @returns {Promise<CheckedRun>}
 */
async function runWith(query) {
  const answer = await fetch(`${address}?${query}`, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

const rerun = new Rerun(session, runWith);

/** Play the run with the numbers that the form has. */
async function playAgain() {
  const sliders = [...form.querySelectorAll("input")];
  for (const { id, value } of sliders) setText(find(`output[for="${id}"]`, form), value);
  try {
    const run = await rerun.play(sliders.map(({ name, value }) => [name, value]));
    if (run) take(run);
  } catch {
    problem(gettext("The run cannot be played now. Try again in a moment."));
  }
}

/** @param {CheckedRun} run */
function take(run) {
  problem("");
  for (const [name, text] of Object.entries(run.sentences)) {
    const line = need(`[data-sentence="${name}"]`, root);
    setText(find("p", line), text);
    show(find("[data-checked]", line), run.holds[name]);
  }
  scrub.value = "1000";
  playhead.now();
  stage.update({ kind: "snapshot", rows: 0 });
  root.dataset.ready = "yes";
  writeStatus();
}

function writeStatus() {
  setText(find("[data-clock]", root), clock(playhead.nowUs));
  setText(find("[data-situation]", root), situation(playhead.state).text);
}

/** @param {string} text */
function problem(text) {
  setText(find("[data-problem]", root), text);
  show(find("[data-problem]", root), text !== "");
}

const soon = throttle(WAIT_MS, playAgain);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", (event) => {
  const { id, value } = targetOf(event, HTMLInputElement);
  setText(find(`output[for="${id}"]`, form), value);
  soon();
});
scrub.addEventListener("input", () => playhead.toTime((session.nowUs * Number(scrub.value)) / 1000));
playAgain();
