/**
 * The guided tour as data: what a step is, and the steps that all kinds of queues share. A step may send commands, waits until the
 * engine has really done what the text describes, and names what to highlight: a part of the page, and lanes of the stage.
 */
import { ownOrUsual } from "./generations.js";
import { lengthOf } from "./messages.js";
import { shownState } from "./shown.js";
import { gettext } from "./text.js";

/**
 * @import { RunSnapshot, Values } from "./catalogue/types.js"
 * @import { FirstStep } from "./generations.js"
 */

/**
 * A step of the tour; `turned` where the stage stands upright, as on phones; `seen` has the kinds of rows since the step began.
 * @typedef {{ id: string, title: () => string, text: (turned: boolean) => string, commands?: Values[], met?: (state: RunSnapshot, seen: Set<string>) => boolean, part: string, lanes?: string[] }} Step
 */

const SIZE_BYTES = 6144;

/**
 * The command that publishes a burst; persistent messages are confirmed.
 * @param {number} count
 * @param {boolean} persistent
 */
export const publish = (count, persistent) => ({ do: "publish", count, size_bytes: SIZE_BYTES, persistent, confirm: persistent });

/**
 * The command that sets the tour's consumer.
 * @param {boolean} running
 */
export const consumer = (running) => ({ do: "set_consumer", name: "c1", rate_per_s: 12, prefetch: 4, ack: "each", running });

/**
 * How many messages a lane of the shown queue has.
 * @param {RunSnapshot} state
 * @param {string} lane
 */
export const length = (state, lane) => lengthOf(shownState(state), lane);

/**
 * First steps that are the same whatever the kind of queue.
 * @type {Record<"publish" | "consume" | "cut", FirstStep>}
 */
export const FIRST = {
  publish: {
    id: "publish",
    done: ["Published"],
    text: () => gettext("Publish a burst"),
    goal: "[data-form=publish] button[type=submit]",
  },
  consume: {
    id: "consume",
    done: ["Fetched", "PublishedDelivered", "Discarded"],
    text: () => gettext("Start a consumer"),
    goal: "[data-act=consume]",
  },
  cut: {
    id: "cut",
    done: ["QueueStopped"],
    text: () => gettext("Restart, or pull the plug"),
    goal: "[data-restart=power]",
  },
};

/**
 * Steps of the tour that are the same whatever the kind of queue.
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

/**
 * The steps for the queue that a state shows: those of its kind, if it has its own.
 * @param {RunSnapshot} state
 */
export const stepsOf = (state) => ownOrUsual(shownState(state), "tour");

/**
 * Whether what a step describes has happened.
 * @param {Step} step
 * @param {RunSnapshot} state
 * @param {Set<string>} seen
 */
export function isMet(step, state, seen) {
  return !step.met || Boolean(step.met(state, seen));
}

