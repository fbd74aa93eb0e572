/** A session follows the messages of its transport; between two messages its time passes by itself. */

/**
 * @import { Session } from "../model/session.js"
 * @import { Listeners } from "./transport.js"
 */

/** The time between two steps of the clock that is shown. */
const STEP_MS = 80;

/**
 * Listeners for a transport with which a session follows a run; `more` are those for everything else.
 * @param {Session} session
 * @param {Pick<Listeners, "welcome" | "notice" | "status">} more
 * @returns {Listeners}
 */
export function following(session, more, now = () => performance.now()) {
  /** @type {ReturnType<typeof setTimeout> | null} */
  let timer = null;
  const later = () => {
    if (timer === null && session.clock.runs) timer = setTimeout(step, STEP_MS);
  };
  const step = () => {
    timer = null;
    session.pass(now());
    later();
  };
  return {
    ...more,
    snapshot: (message) => {
      session.snapshot(message, now());
      later();
    },
    frame: (message) => {
      session.frame(message, now());
      later();
    },
    // A run that is stopped stays at the moment that is shown; without a connection no time passes.
    sent: (message) => {
      if (message.t === "control" || message.t === "step") session.hold(now());
    },
    status: (name, retryMs) => {
      if (name !== "live") session.hold(now());
      more.status(name, retryMs);
    },
  };
}
