/** Reach a state: the goals as they stand, what is left of the budget, and forbidden controls greyed. */
import { gettext } from "../model/text.js";
import { dataOf, find, need } from "../view/base/dom.js";
import { forbidden } from "./allowed.js";

/**
 * @import { Session } from "../model/session.js"
 * @import { Standing } from "../net/browser.js"
 */

/** @typedef {Parameters<typeof forbidden>[0]} Allowed which verbs may be used, and which settings may not be changed */

const POLL_MS = 1500;

/** The server repeats the session as grading does, at most so often, and only when something has happened. */
export class Goals {
  /**
   * `standing()` resolves with how the goals stand; without it the server does.
   * @param {HTMLElement} root
   * @param {Session} session
   * @param {(() => Promise<Standing>) | null} [standing]
   */
  constructor(root, session, standing) {
    this.root = root;
    this.standing = standing ?? (() => standingFrom(dataOf(root, "reach")));
    /** @type {string | null} */
    this.newest = null;
    this.requesting = false;
    this.ended = false;
    grey(JSON.parse(need("#reach-allowed", root).textContent));
    session.listen(() => this.requestSoon(session));
  }

  /** Send no more requests. */
  end() {
    this.ended = true;
  }

  /** @param {Session} session */
  requestSoon(session) {
    const now = `${session.next} ${session.play}`;
    if (this.requesting || this.ended || now === this.newest) return;
    this.requesting = true;
    setTimeout(async () => {
      this.newest = `${session.next} ${session.play}`;
      try {
        const standing = await this.standing();
        if (!this.ended) this.show(standing);
      } catch {
        // the next change sends a new request
      } finally {
        this.requesting = false;
        if (`${session.next} ${session.play}` !== this.newest) this.requestSoon(session);
      }
    }, POLL_MS);
  }

  /** @param {Standing} standing */
  show({ goals, commands_left: commands, messages_left: messages }) {
    if (!goals) return;
    for (const [id, holds] of Object.entries(goals)) {
      const line = find(`[data-goal="${CSS.escape(id)}"]`, this.root);
      const word = holds ? "yes" : "no";
      if (!line || line.dataset.holds === word) continue;
      line.dataset.holds = word;
      need(".sign", line).textContent = holds ? "✓" : "○";
      need("[data-goal-state]", line).textContent = holds ? gettext("reached") : gettext("not yet");
    }
    need("[data-left-commands]", this.root).textContent = String(commands);
    need("[data-left-messages]", this.root).textContent = String(messages);
  }
}

/**
 * What the server answers; nothing where it refuses.
 * @param {string} address
 * @returns {Promise<Standing>}
 */
async function standingFrom(address) {
  const answer = await fetch(address, { headers: { accept: "application/json" } });
  return answer.ok ? answer.json() : {};
}

/** @param {Allowed} allowed */
function grey(allowed) {
  for (const selector of forbidden(allowed))
    for (const control of /** @type {NodeListOf<HTMLElement>} */ (
      document.querySelectorAll(`.beside-live :is(${selector})`)
    )) {
      control.inert = true;
      control.classList.add("is-forbidden");
      control.title = gettext("Not allowed in this exercise");
    }
}
