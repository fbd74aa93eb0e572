/** Queues of version 1 for newcomers: the first steps, and the guided tour. */
import { countedLanesOf, limitedLanesOf } from "../../../model/places.js";
import { COMMON, FIRST, consumer, length, publish } from "../../../model/tour-steps.js";
import { gettext } from "../../../model/text.js";

/**
 * @import { FirstStep } from "../../../model/generations.js"
 * @import { Step } from "../../../model/tour-steps.js"
 */

/** The lanes nearest to the head with contents in RAM and with index entries in RAM, and the lane that RAM only counts. */
const ALPHAS = limitedLanesOf(null, "contents").slice(-1);
const BETAS = limitedLanesOf(null, "entries").slice(-1);
const DELTA = countedLanesOf(null);

/** @type {FirstStep[]} */
export const FIRST_STEPS = [
  FIRST.publish,
  {
    id: "page",
    done: ["AlphasPushed"],
    text: () => gettext("Publish more, or lower the RAM: contents sink"),
    goal: "[name=ram]",
  },
  {
    id: "delta",
    done: ["BetasPushed"],
    text: () => gettext("Go on until delta appears"),
    goal: "[data-form=publish] button[type=submit]",
  },
  FIRST.consume,
  {
    id: "read",
    done: ["DeltaRead"],
    text: () => gettext("Wait for a segment to be read back"),
    goal: "[data-act=play]",
  },
  FIRST.cut,
];

/** @type {Step[]} */
export const TOUR = [
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
      gettext("Forty more, too many even for index entries. One by one, the newest first, they leave q3 and become delta; only the segment of q3's head stays. RAM keeps only four numbers for all of delta: start, count, how many are transient, and end."),
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
    commands: [consumer(true)],
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
    commands: [consumer(false), { do: "restart", kind: "power" }],
    met: (state, seen) => seen.has("QueueStarted"),
    part: "stage",
  },
  COMMON.yours,
];
