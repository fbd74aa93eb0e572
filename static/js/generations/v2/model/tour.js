/** Queues of version 2 for newcomers: the first steps, and the guided tour. */
import { countedLanesOf, limitedLanesOf } from "../../../model/places.js";
import { shownState } from "../../../model/shown.js";
import { COMMON, FIRST, consumer, length, publish } from "../../../model/tour-steps.js";
import { gettext } from "../../../model/text.js";

/**
 * @import { RunSnapshot } from "../../../model/catalogue/types.js"
 * @import { FirstStep } from "../../../model/generations.js"
 * @import { Step } from "../../../model/tour-steps.js"
 */

const QUEUE = { backing_queue: "classic_v2" };
const [HEAD] = limitedLanesOf(QUEUE, "contents");
const [TAIL] = countedLanesOf(QUEUE);

/** How many messages a load asks for now. @param {RunSnapshot} state */
const windowOf = (state) => shownState(state)?.counters.window ?? 1;

/** @type {FirstStep[]} */
export const FIRST_STEPS = [
  FIRST.publish,
  {
    id: "tail",
    met: (state) => length(state, HEAD) > 0 && length(state, TAIL) > 0,
    text: () => gettext("Publish more: one message stays in RAM"),
    goal: "[data-form=publish] button[type=submit]",
  },
  FIRST.consume,
  {
    id: "load",
    done: ["TailLoaded"],
    text: () => gettext("See a load from the tail"),
    goal: "[data-act=play]",
  },
  {
    id: "window",
    met: (state) => windowOf(state) > 1,
    text: () => gettext("Let the consumer run: L grows"),
    goal: "[data-act=play]",
  },
  FIRST.cut,
];

/** @type {Step[]} */
export const TOUR = [
  COMMON.line,
  {
    id: "head",
    title: () => gettext("The head lane: one message in RAM"),
    text: () =>
      gettext("Eight messages were just published. Nobody reads yet, so L is 1: the first message waits whole in RAM, in the head lane. All others went to disk at once, though they are transient."),
    commands: [publish(8, false)],
    met: (state) => length(state, HEAD) > 0 && length(state, TAIL) > 0,
    part: "stage",
    lanes: [HEAD, TAIL],
  },
  {
    id: "tail",
    title: () => gettext("The tail: nothing in RAM"),
    text: () =>
      gettext("Forty more, persistent ones, and RAM does not grow with them. RAM keeps only where the tail begins, where it ends, and how many messages it has. There is no paging: memory decides nothing here."),
    commands: [publish(40, true)],
    met: (state) => length(state, TAIL) > 40,
    part: "stage",
    lanes: [TAIL],
  },
  {
    id: "files",
    title: () => gettext("Real files"),
    text: () =>
      gettext("These are the files that the engine wrote, byte for byte as the broker does: .qi with a slot of 32 bytes for each message, and files of the message store for large bodies. Small ones would lie in .qs."),
    met: (state) => Object.values(state.stores).some((store) => store.files.length > 0),
    part: "files",
  },
  COMMON.why,
  {
    id: "read",
    title: () => gettext("The way back: a load"),
    text: () =>
      gettext("A consumer takes from the head lane. When that is empty, the next take first loads up to L messages from the tail: one at a time, as long as L is 1."),
    commands: [consumer(true)],
    met: (_, seen) => seen.has("TailLoaded"),
    part: "stage",
    lanes: [HEAD, TAIL],
  },
  {
    id: "window",
    title: () => gettext("L follows the consumer"),
    text: () =>
      gettext("The queue has measured how fast messages leave. L is 1 plus twice that rate, rounded down, and at most 2,048 (8 in this small queue): now a load brings several messages at once."),
    met: (state) => windowOf(state) > 1,
    part: "stage",
    lanes: [HEAD, TAIL],
  },
  COMMON.time,
  {
    id: "plug",
    title: () => gettext("Kill it"),
    text: () =>
      gettext("The node is killed, then it starts again. What had been handed to the operating system is back, and one message of it is loaded, whatever the backlog. A power cut would take whatever no fsync has covered; in 4.x that includes confirmed messages."),
    commands: [consumer(false), { do: "restart", kind: "kill" }],
    met: (_, seen) => seen.has("QueueStarted"),
    part: "stage",
  },
  COMMON.yours,
];
