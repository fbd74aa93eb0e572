/** The life of one message as a one-page picture: what happened, when, and in which of four places. Pure: lines and dots. */
import { lifeText, lifeTone } from "./life-words.js";
import { gettext, seconds } from "./text.js";

/** @import { Life } from "./life.js" */

export const WIDTH = 720;
const TOP = 96;
const ROW = 26;
const LEFT = 86;
const COLUMN = 62;

const INDEX = new Set(["entry", "ackmark", "journal", "segment"]);
const STORE = new Set(["buffered", "handed", "synced", "refs", "moved", "content"]);
const CONSUMER = new Set(["direct", "delivered", "taken", "acked"]);
/** In these states the message itself is on disk only. */
const SUNK = new Set(["delta", "recovered", "lost", "stopped"]);

/** @typedef {ReturnType<typeof posterOf>} Poster the page of a life */

/** The columns of the page, from left to right. */
const COLUMNS = () => [gettext("RAM"), gettext("index"), gettext("store"), gettext("consumer")];

/**
 * Which column an event belongs to.
 * @param {{ what: string, name?: string }} event
 */
export function columnOf({ what, name = "" }) {
  if (INDEX.has(what) || name.endsWith(".idx") || SUNK.has(what)) return 1;
  if (STORE.has(what) || name.endsWith(".rdq")) return 2;
  return CONSUMER.has(what) ? 3 : 0;
}

/**
 * x of a column's middle.
 * @param {number} column
 */
export function columnX(column) {
  return LEFT + COLUMN * (column + 0.5);
}

/**
 * The page of a life: {width, height, columns: [{name, x}], rows: [{x, y, time, text, tone, late}]}; `late` is what passed since the row before.
 * @param {Life} life
 */
export function posterOf(life) {
  const rows = life.events.map((event, at) => {
    const since = at ? event.us - life.events[at - 1].us : 0;
    return {
      x: columnX(columnOf(event)),
      y: TOP + ROW * (at + 0.5),
      time: seconds(event.us),
      text: lifeText(event),
      tone: lifeTone(event),
      late: since >= 1000 ? `+${seconds(since)} s` : "",
    };
  });
  const columns = COLUMNS().map((name, at) => ({ name, x: columnX(at) }));
  return { columns, width: WIDTH, height: TOP + ROW * Math.max(1, rows.length) + 40, top: TOP, left: LEFT, textX: LEFT + COLUMN * 4 + 14, rows };
}
