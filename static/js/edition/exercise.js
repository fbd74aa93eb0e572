/**
 * An exercise of the static edition. The app in the worker grades, with the server's own Python and templates; what was done is
 * kept in this browser. After an answer the task changes in its place, and the same worker plays the run that follows.
 */
import { followTask, openTask } from "../exercises/task.js";
import { BrowserHost } from "../net/browser.js";
import { openSession } from "../pages/session-page.js";
import { find, findAll, need, setText } from "../view/base/dom.js";
import { worker } from "./early.js";
import { forget, kept, keeper } from "./kept.js";
import { showOpening } from "./opening.js";
import { openBrowserApp } from "./worker.js";

/**
 * @import { Values } from "../model/catalogue/types.js"
 * @import { Followed } from "../pages/followed.js"
 */

/**
 * What the app answers about an exercise: its page, the work so far, and the run that goes with it.
 * @typedef {{ html: string, held: boolean, score: number | null, work: Values, scenario: Values, past_us: number, another?: boolean, problem?: string }} SentTask
 */

const slug = JSON.parse(need("#exercise-slug").textContent);
const session = `exercise-${slug}`;
/** Whether the list of what is to be asked again led here. */
const anew = location.hash === "#again";
const ACTION = /\/(answer|hint|why|solution|again)$/;

/**
 * Put the task in its place, and a locked prediction beside the run.
 * @param {SentTask} task
 */
function show({ html, held }) {
  const found = new DOMParser().parseFromString(html, "text/html");
  need("#task").replaceWith(need("#task", found));
  for (const old of findAll(".beside-live > .predicted, #predicted-lanes")) old.remove();
  need(".beside-live").prepend(...findAll(".predicted, #predicted-lanes", found));
  document.body.classList.toggle("is-held", held);
  openTask(need("#task"));
}

/**
 * Report how far the work is to the page around this one, which passes it on to a learning platform.
 * @param {SentTask} task
 */
function report(task) {
  if (parent === window) return;
  const { score, work } = task;
  parent.postMessage({ waterline: "worked", exercise: slug, score, done: Boolean(work.done_at) }, location.origin);
}

/**
 * Show in the task why something did not work.
 * @param {string} words
 */
function complain(words) {
  find("#task [data-problem]")?.remove();
  need(".task-text").after(Object.assign(document.createElement("p"), { className: "error", role: "alert", textContent: words }));
  need(".task-text + .error").dataset.problem = "";
}

/** @param {boolean} may */
function enable(may) {
  for (const button of findAll("#task button", HTMLButtonElement)) button.disabled = !may;
}

/**
 * Where the run begins that a task goes with.
 * @param {SentTask} task
 * @param {Values | null} [log] the commands that were given before
 */
function beginning(task, log) {
  return { scenario: task.scenario, watched: task.held, ...(log ?? { commands: [], until_us: task.past_us }) };
}

async function start() {
  showOpening(worker);
  const app = openBrowserApp(() => worker);
  /** @type {SentTask} */
  let task = await app.request("task", { exercise: slug, work: await kept(`work-${slug}`), do: anew ? "again" : "show" });
  if (anew) {
    await Promise.all([keeper(`work-${slug}`)(task.work), forget(session)]);
    history.replaceState(null, "", location.pathname + location.search);
  }
  show(task);
  const host = new BrowserHost(app.place, beginning(task, await kept(session)), keeper(session), () => app.worker, app);
  host.standing = () => app.request("standing", { work: task.work, log: host.log });
  /** @type {Followed} what the page of the session is made of, as soon as it stands */
  let live;
  let leave = () => {};

  /**
   * Replace the task by the one that the app answered; a run that goes with it begins in the same worker.
   * @param {SentTask} next
   */
  function take(next) {
    task = next;
    leave();
    show(task);
    if (task.another) {
      live.session.forget();
      live.selection.choose(null);
      host.begin(beginning(task));
      live.engine.connect();
    }
    leave = followTask(need("#task"), live);
    report(task);
    const first = find("#verdict") ?? need("#task-title");
    first.tabIndex = -1;
    first.focus();
  }

  /**
   * Carry out the action of one of the task's forms.
   * @param {string} action
   * @param {HTMLFormElement} form
   * @param {HTMLElement | null} submitter
   */
  async function act(action, form, submitter) {
    const entries = [...new FormData(form, submitter)];
    enable(false);
    /** @type {SentTask} */
    const next = await app.request("task", { exercise: slug, work: task.work, do: action, form: entries, log: host.log });
    if (next.problem) {
      enable(true);
      complain(next.problem);
      return;
    }
    await keeper(`work-${slug}`)(next.work);
    if (next.another) await forget(session);
    take(next);
  }

  addEventListener("submit", (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    const action = (form.getAttribute("action") ?? "").match(ACTION)?.[1];
    if (!action || !form.closest("#task")) return;
    event.preventDefault();
    act(action, form, event.submitter).catch((error) => {
      enable(true);
      complain(error.message);
    });
  });

  document.addEventListener("waterline:live", ({ detail }) => {
    live = detail;
    leave = followTask(need("#task"), live);
  });
  const data = { ...JSON.parse(need("#live-data").textContent), session, scenario: task.scenario, owner: !task.held, story: null };
  openSession(need("#live"), data, host);
  report(task);
  need("[data-opening]").toggleAttribute("inert", false);
}

start().catch((error) => setText(find("#situation"), error.message));
