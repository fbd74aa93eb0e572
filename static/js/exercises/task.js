/** The task of an exercise: answers by hand, and what follows the session beside it. */
import { makeBoard } from "./board.js";
import { find, need } from "../view/base/dom.js";
import { Draft } from "./drafts.js";
import { PredictedLanes } from "./predicted-lanes.js";
import { Goals } from "./goals.js";
import { Placing } from "./placing.js";
import { makeSortable } from "./sort.js";

/**
 * @import { Followed } from "../pages/followed.js"
 * @import { Board } from "./board.js"
 */

/**
 * The boards of tasks: what one moves on the stage goes their way.
 * @type {WeakMap<Element, Board>}
 */
const boards = new WeakMap();

/**
 * Set up the parts of a task that the reader moves; what was put down before is restored.
 * @param {Element} task
 */
export function openTask(task) {
  const draft = new Draft(sessionStorage, task.querySelector("[data-draft]")?.getAttribute("data-draft") ?? "");
  const board = find("[data-board]", task);
  if (board) boards.set(task, makeBoard(board, draft));
  const list = find("[data-sort]", task);
  if (list) makeSortable(list, need("[data-sort-live]", task), draft);
}

/**
 * Follow the session of the event `waterline:live`. The run goes on to its end, once, so that its result is on the page before the
 * next answer. The prediction stays on the lanes; goals stand as they are reached. Returns what ends it, for a task that takes
 * this one's place.
 * @param {Element} task
 * @param {Followed} page
 */
export function followTask(task, { engine, session, stage, selection, alerts, host }) {
  let mayPlay = task.hasAttribute("data-run-on");
  const endsUs = Number(task.getAttribute("data-run-on"));
  session.listen(() => {
    if (mayPlay && session.version && engine.live) mayPlay = session.knownUs < endsUs && !engine.control({ play: true });
  });
  const predictedLanes = document.querySelector("#predicted-lanes");
  const box = document.querySelector(".stage-box");
  const frames = predictedLanes && box ? new PredictedLanes(box, JSON.parse(predictedLanes.textContent), stage) : null;
  const reach = find("[data-reach]", task);
  const goals = reach ? new Goals(reach, session, host.standing) : null;
  const board = boards.get(task);
  const placing = board ? new Placing(need("#stage"), board, { stage, selection, alerts }) : null;
  return () => {
    mayPlay = false;
    placing?.remove();
    frames?.remove();
    goals?.end();
  };
}
