/** The task beside a live session: the run goes on after a right step or a locked prediction, and answers by hand. */
import { makeBoard } from "./board.js";
import { Draft } from "./drafts.js";
import { Ghosts } from "./ghosts.js";
import { Goals } from "./goals.js";
import { makeSortable } from "./sort.js";

const task = document.querySelector("#task");

/** Let the run go on to its end as soon as the session is there: there is something to see before the next answer. */
document.addEventListener("waterline:live", (/** @type {CustomEvent} */ event) => {
  if (!task?.hasAttribute("data-run-on")) return;
  const endsUs = Number(task.getAttribute("data-run-on"));
  const { engine, session } = event.detail;
  let told = false;
  session.listen(() => {
    if (told || !session.version) return;
    told = session.nowUs >= endsUs || engine.control({ play: true });
  });
});

/** A locked prediction stays on the lanes while the run goes on. */
document.addEventListener("waterline:live", (/** @type {CustomEvent} */ event) => {
  const said = document.querySelector("#ghost-lanes");
  const box = document.querySelector(".stage-box");
  if (said && box) new Ghosts(box, JSON.parse(said.textContent), event.detail.stage);
});

const reach = task?.querySelector("[data-reach]");
document.addEventListener("waterline:live", (/** @type {CustomEvent} */ event) => {
  if (reach) new Goals(reach, event.detail.session, event.detail.host.standing);
});

const draft = new Draft(sessionStorage, task?.querySelector("[data-draft]")?.getAttribute("data-draft") ?? "");
const board = task?.querySelector("[data-board]");
if (board) makeBoard(board, draft);
const list = task?.querySelector("[data-sort]");
if (list) makeSortable(list, task.querySelector("[data-sort-live]"), draft);
