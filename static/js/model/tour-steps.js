/**
 * The guided tour as data. A step may send commands, waits until the engine has really done what the text describes,
 * and names what to highlight: a part of the page, and lanes of the stage.
 */
import { generationOf } from "./generations.js";
import { lengthOf } from "./messages.js";
import { countedLanesOf, limitedLanesOf } from "./places.js";
import { shownState } from "./shown.js";
import { gettext } from "./text.js";

/** @import { State, Values } from "./catalogue/types.js" */

const SIZE = 6144;
/**
 * @param {number} count
 * @param {boolean} persistent
 */
const publish = (count, persistent) => ({ do: "publish", count, size_bytes: SIZE, persistent, confirm: persistent });
/**
 * @param {State} state
 * @param {string} lane
 */
const length = (state, lane) => lengthOf(shownState(state), lane);

/** The lanes nearest to the head with contents in RAM and with index entries in RAM, and the lane that RAM only counts. */
const ALPHAS = limitedLanesOf(null, "contents").slice(-1);
const BETAS = limitedLanesOf(null, "entries").slice(-1);
const DELTA = countedLanesOf(null);

/**
 * A step of the tour; `turned` where the stage stands upright, as on phones; `seen` has the kinds of rows since the step began.
 * @typedef {{ id: string, title: () => string, text: (turned: boolean) => string, commands?: Values[], met?: (state: State, seen: Set<string>) => boolean, part: string, lanes?: string[] }} Step
 */

/**
 * Steps that are the same whatever the kind of queue.
 * @type {Record<string, Step>}
 */
export const COMMON = {
  line: {
    id: "line",
    title: () => gettext("One line"),
    text: (turned) =>
      turned
        ? gettext("Left of the line is RAM, right of it is the disk. The queue runs downwards: the newest message is at the top, the next one to be delivered at the bottom.")
        : gettext("Above the line is RAM, below it is the disk. The queue runs from left to right: the newest message is on the left, the next one to be delivered on the right."),
    part: "stage",
  },
  why: {
    id: "why",
    title: () => gettext("Why?"),
    text: () =>
      gettext("Every change names the function, the rule and the numbers that decided it. Nothing here was prepared beforehand."),
    part: "why",
  },
  time: {
    id: "time",
    title: () => gettext("Any moment again"),
    text: () =>
      gettext("Drag here, or press the left arrow: the picture goes back to any transition of the run, with its reason. The run itself stays where it is."),
    part: "dock",
  },
  yours: {
    id: "yours",
    title: () => gettext("Now it is yours"),
    text: () =>
      gettext("Publish, consume, change the memory. Ctrl+K finds every action, ? shows the keys, and Share gives a link to exactly this moment."),
    part: "controls",
  },
};

/** @type {Step[]} */
export const STEPS = [
  COMMON.line,
  {
    id: "alpha",
    title: () => gettext("Alpha: everything in RAM"),
    text: () =>
      gettext("Eight messages were just published. The block is the content, the tag its index entry: both are in RAM, in q4. Nothing of them is on disk."),
    commands: [publish(8, false)],
    met: (state) => length(state, ALPHAS[0]) > 0,
    part: "stage",
    lanes: ALPHAS,
  },
  {
    id: "paging",
    title: () => gettext("Contents sink"),
    text: () =>
      gettext("Thirty more, five of them persistent, and memory crosses the paging line. Contents leave RAM for disk while the index stays: beta, and gamma once the index is on disk too."),
    commands: [publish(5, false), publish(5, true), publish(20, false)],
    met: (state, seen) => seen.has("AlphasPushed"),
    part: "stage",
    lanes: [...BETAS, ...ALPHAS],
  },
  {
    id: "delta",
    title: () => gettext("Delta: nothing in RAM"),
    text: () =>
      gettext("Forty more, too many even for index entries. One by one, the newest first, they leave q3 and become delta; only the segment of q3's head stays. Of all of delta RAM keeps only four numbers: start, count, how many are transient, and end."),
    commands: [publish(40, true)],
    met: (state, seen) => seen.has("BetasPushed") || length(state, DELTA[0]) > 0,
    part: "stage",
    lanes: DELTA,
  },
  {
    id: "files",
    title: () => gettext("Real files"),
    text: () =>
      gettext("These are the files that the engine wrote, byte for byte as the broker does: segments of the queue index, and files of the message store."),
    met: (state) => state.stores && Object.values(state.stores).some((store) => store.files.length > 0),
    part: "files",
  },
  COMMON.why,
  {
    id: "read",
    title: () => gettext("The way back"),
    text: () =>
      gettext("A consumer takes from q4, then from q3. When q3 runs out, one segment is read from delta into it, which is cheap; the bodies in the message store are then read one by one, and that is what makes a long backlog drain slowly."),
    commands: [
      { do: "set_consumer", name: "c1", rate_per_s: 12, prefetch: 4, ack: "each", running: true },
    ],
    met: (state, seen) => seen.has("DeltaRead"),
    part: "stage",
    lanes: [...BETAS, ...DELTA],
  },
  COMMON.time,
  {
    id: "plug",
    title: () => gettext("Pull the plug"),
    text: () =>
      gettext("The power is cut, then the node starts again. What is left are persistent messages that had reached the files; the transient ones are gone. Some come back: what consumers held unacknowledged, and messages whose acks had not reached the disk."),
    commands: [
      { do: "set_consumer", name: "c1", rate_per_s: 12, prefetch: 4, ack: "each", running: false },
      { do: "restart", kind: "power" },
    ],
    met: (state, seen) => seen.has("QueueStarted"),
    part: "stage",
  },
  COMMON.yours,
];

/**
 * The steps for the queue that a state shows: those of its kind, if it has its own.
 * @param {State} state
 */
export function stepsOf(state) {
  const { tour } = generationOf(shownState(state));
  return tour.length ? tour : STEPS;
}

/**
 * Whether what a step describes has happened.
 * @param {Step} step
 * @param {State} state
 * @param {Set<string>} seen
 */
export function isMet(step, state, seen) {
  return !step.met || Boolean(step.met(state, seen));
}

