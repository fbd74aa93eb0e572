/**
 * An exercise of the static edition. The desk in the worker grades, with the server's own Python and templates; what was done is
 * kept in this browser. After an answer the page opens anew, as it does on the server.
 */
import { BrowserHost } from "../net/browser.js";
import { openSession } from "../pages/session-page.js";
import { find, findAll, setText } from "../view/base/dom.js";
import { forget, kept, keeper } from "./kept.js";
import { openDesk } from "./worker.js";

const slug = JSON.parse(find("#exercise-slug").textContent);
const session = `exercise-${slug}`;
const ACTION = /\/(answer|hint|solution|again)$/;

/** Put the task in its place, and a locked prediction beside the run. */
function show(html) {
  const found = new DOMParser().parseFromString(html, "text/html");
  find("#task").replaceWith(find("#task", found));
  find(".beside-live").prepend(...findAll(".ghosts, #ghost-lanes", found));
}

/** Tell who listens, as a learning platform's wrapper does, how far the work is. */
function report(told) {
  document.dispatchEvent(new CustomEvent("waterline:worked", { detail: { score: told.score, done: Boolean(told.work.done_at) } }));
}

async function start() {
  const desk = openDesk();
  const told = await desk.ask("task", { exercise: slug, work: await kept(`work-${slug}`) });
  const { work, held } = told;
  show(told.html);
  document.body.classList.toggle("is-held", held);
  const log = (await kept(session)) ?? { commands: [], until_us: told.past_us };
  const host = new BrowserHost(desk.place, { scenario: told.scenario, watched: held, ...log }, keeper(session), () => desk.worker, desk);
  host.standing = () => desk.ask("standing", { work, log: host.log });

  /** Do what a form of the task asks. */
  async function act(action, form, submitter) {
    for (const button of findAll("#task button")) button.disabled = true;
    const next = await desk.ask("task", { exercise: slug, work, do: action, form: [...new FormData(form, submitter)], log: host.log });
    if (next.problem) {
      for (const button of findAll("#task button")) button.disabled = false;
      find(".task-text").after(Object.assign(document.createElement("p"), { className: "error", role: "alert", textContent: next.problem }));
      return;
    }
    await keeper(`work-${slug}`)(next.work);
    if (next.another) await forget(session);
    report(next);
    location.reload();
  }

  addEventListener("submit", (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    const action = (form.getAttribute("action") ?? "").match(ACTION)?.[1];
    if (!action) return;
    event.preventDefault();
    act(action, form, event.submitter).catch((error) => setText(find("#situation"), error.message));
  });

  await import("../exercises/page.js");
  const data = { ...JSON.parse(find("#live-data").textContent), session, scenario: told.scenario, owner: !held, story: null };
  openSession(find("#live"), data, host);
  report(told);
  find("[data-opening]").toggleAttribute("inert", false);
}

start().catch((error) => setText(find("#situation"), error.message));
