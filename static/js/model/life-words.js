/** The events of a message's life in the reader's words. */
import { fill, gettext } from "./text.js";

/** @import { LifeEvent } from "./life.js" */

/** @type {() => Record<string, string>} */
const TEXTS = () => ({
  published: gettext("published to %(to)s"),
  direct: gettext("straight to a consumer"),
  alpha: gettext("to %(to)s"),
  beta: gettext("\u03b2 in %(to)s"),
  gamma: gettext("\u03b3 in %(to)s"),
  delta: gettext("\u03b4: nothing in RAM"),
  paged: gettext("unacked, content leaves RAM"),
  read: gettext("read into %(to)s"),
  joined: gettext("lane joins %(to)s"),
  delivered: gettext("delivered"),
  taken: gettext("delivered and forgotten"),
  dropped: gettext("dropped"),
  acked: gettext("acked"),
  requeued: gettext("requeued to %(to)s"),
  stopped: gettext("the queue stopped"),
  recovered: gettext("found again in the files"),
  lost: gettext("lost"),
  entry: gettext("index entry in the journal's buffer"),
  ackmark: gettext("ack mark in the journal's buffer"),
  slot: gettext("index entry in the buffer"),
  slotack: gettext("ack in the index's buffer"),
  zeroed: gettext("zeros over the entry in %(name)s"),
  unwritten: gettext("never written to %(name)s"),
  journal: gettext("journal synced"),
  segment: gettext("entry in %(name)s"),
  buffered: gettext("content in the write buffer"),
  handed: gettext("content in %(name)s"),
  synced: gettext("%(name)s synced"),
  refs: gettext("references: %(refs)s"),
  moved: gettext("moved to %(name)s"),
  content: gettext("content read"),
  gone: gettext("%(name)s deleted"),
  gap: gettext("too fast to tell"),
});

/** @type {Record<string, string>} */
const TONES = { published: "alpha", direct: "alpha", beta: "beta", paged: "beta", gamma: "gamma", read: "gamma",
  delta: "delta", recovered: "delta", lost: "alarm", stopped: "alarm" };

/**
 * What happened, in a few words.
 * @param {LifeEvent} event
 */
export function lifeText(event) {
  return fill(TEXTS()[event.what], event);
}

/**
 * The colour that an event may repeat: that of the state into which it led.
 * @param {LifeEvent} event
 */
export function lifeTone(event) {
  return TONES[event.what] ?? "plain";
}
