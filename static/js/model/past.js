/**
 * What happened before a page came, as the host sends it again: stretches of rows with states to fold them from. Taken
 * into what a session keeps they can be shown like anything that was watched.
 */
import { decode } from "./catalogue/rows.js";
import { copyState, weightOf } from "./history.js";
import { stateHere, transitionHere } from "./hosts.js";
import { emptyState, fold } from "./reduce.js";
import { Timeline } from "./timeline.js";

/**
 * @import { RunSnapshot, Transition, TransitionRow } from "./catalogue/types.js"
 * @import { History } from "./history.js"
 * @import { Session } from "./session.js"
 */

/** How far (in transitions) the present may be from the beginning for the page to request the whole past. */
export const WHOLE = 6000;

/**
 * A stretch of rows as the host sends it again, with the state before them; `us` is when it begins.
 * @typedef {{ first: number, us: number, state?: RunSnapshot, rows?: TransitionRow[], at_us?: number[] }} SentStretch
 * @typedef {{ stretches: SentStretch[], through: number }} SentPast
 */

/**
 * A stretch that the host sent, with copies of the state every so often: {first, startUs, rows, atUs, points}.
 * @param {SentStretch} stretch
 * @param {number} every
 */
function stretchOf(stretch, every) {
  const state = stateHere(stretch.state ?? emptyState());
  /** @type {Transition[]} */
  const rows = [];
  const points = [pointAt(stretch.first, state)];
  (stretch.rows ?? []).forEach((row, at) => {
    const t = transitionHere(decode(row), state);
    rows.push(t);
    fold(state, t);
    if ((at + 1) % every === 0) points.push(pointAt(stretch.first + at + 1, state));
  });
  return { first: stretch.first, startUs: stretch.us, rows, atUs: stretch.at_us ?? [], points };
}

/**
 * @param {number} at
 * @param {RunSnapshot} state
 */
function pointAt(at, state) {
  return { at, state: copyState(state), weight: weightOf(state) };
}

/**
 * Take what the host sent into a session; what the page watched by itself stays as it is.
 * @param {Session} session
 * @param {SentPast} past
 */
export function takePast(session, past) {
  const kept = session.history;
  for (const each of past.stretches) kept.insert(stretchOf(each, kept.every));
  if (kept.start < session.timelineFrom) rebuildTimeline(session);
  session.notify({ kind: "past", rows: 0 });
}

/**
 * The chart, the events and the lines of a run, from everything that is kept of it.
 * @param {Session} session
 */
function rebuildTimeline(session) {
  const timeline = new Timeline();
  for (const { first, startUs, rows, atUs, points } of session.history.stretches) {
    const state = copyState(points[0].state);
    session.numbers.take(state);
    timeline.sample(startUs, state);
    rows.forEach((t, at) => {
      timeline.before(t, state);
      fold(state, t);
      session.seen.add(t.kind);
      session.numbers.observe(t);
      session.deleted.observe(t, first + at);
      timeline.note(first + at, atUs[at], t, state);
      timeline.sample(atUs[at], state, t);
    });
  }
  session.timeline = timeline;
  session.timelineFrom = session.history.start;
}

/**
 * What the page lacks and should request: {from, to}, or null. `whole` when the page has just come; otherwise what is
 * missing beside the position that is shown.
 * @param {History} kept
 * @param {number?} position
 */
export function missing(kept, position = null) {
  const { start } = kept;
  if (position === null) return start > 0 ? { from: 0, to: start } : null;
  const { before, after } = kept.gapsAt(position);
  if (after) return { from: position, to: Math.min(position + after, position + WHOLE) };
  if (before) return { from: Math.max(position - before, position - WHOLE), to: position };
  return null;
}
