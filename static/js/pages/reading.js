/** A page to read: numbers that can be dragged, and a small stage that shows the run with them. */
import { History } from "../model/history.js";
import { Playhead } from "../model/playhead.js";
import { Session } from "../model/session.js";
import { emptyState } from "../model/reduce.js";
import { situation } from "../model/situation.js";
import { clock, gettext } from "../model/text.js";
import { find, setText, show, throttle } from "../view/base/dom.js";
import { watchColors } from "../view/base/colors.js";
import { StageView } from "../view/stage/stage.js";

const WAIT_MS = 250;
const root = find("#reading");
const address = JSON.parse(find("#reading-data").textContent).run;
const form = find("[data-numbers]", root);
const scrub = find("[data-scrub]", root);
const session = new Session(new History());
const playhead = new Playhead(session);
const stage = new StageView(find("[data-stage]", root), playhead);
watchColors(() => stage.refresh());

playhead.listen((change) => {
  stage.update(change);
  writeStatus();
});

/** Play the run with the numbers that the form has; an answer that was overtaken is dropped. */
let asked = 0;
async function playAgain() {
  asked += 1;
  const mine = asked;
  const chosen = [...form.querySelectorAll("input")].map(({ name, value }) => [name, value]);
  const query = new URLSearchParams(chosen).toString();
  try {
    const answer = await fetch(`${address}?${query}`, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(String(answer.status));
    const run = await answer.json();
    if (mine === asked) take(run);
    problem("");
  } catch {
    if (mine === asked) problem(gettext("The run cannot be played now. Try again in a moment."));
  }
}

function take(run) {
  session.snapshot({ next: 0, at_us: 0, state: emptyState(), digest: "", skipped: null, why: "join" });
  session.frame({ first: 0, at_us: run.at_us, rows: run.rows, now_us: run.until_us });
  for (const [name, text] of Object.entries(run.said)) {
    const line = find(`[data-said="${name}"]`, root);
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

function problem(text) {
  setText(find("[data-problem]", root), text);
  show(find("[data-problem]", root), text !== "");
}

const soon = throttle(WAIT_MS, playAgain);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", ({ target }) => {
  setText(find(`output[for="${target.id}"]`, form), target.value);
  soon();
});
scrub.addEventListener("input", () => playhead.toTime((session.nowUs * Number(scrub.value)) / 1000));
playAgain();
