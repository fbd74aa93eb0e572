/** Small instruments beside the maps: garbage against its limit, the write buffer, and what waits for an fsync. */
import { bytes, decimal, fill, gettext, ngettext, number } from "../../model/text.js";
import { cutToFit, write } from "../base/pen.js";
import { colors, faded, hatch } from "../base/colors.js";

/** @import { Collection, Waiting } from "../../model/unsynced.js" */

/** @typedef {{ share: number, text: string, short?: string, waits: boolean, never?: boolean }} Clock */

const TURN = 2 * Math.PI;

/**
 * A bar with a title, a text and, if given, a mark at a share.
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {{title: string, text: string, share: number, mark?: number, hatched?: boolean}} meter
 */
export function paintMeter(pen, x, y, w, { title, text, share, mark, hatched = false }) {
  pen.font = `450 12px ${colors.sans}`;
  const room = w - pen.measureText(text).width - 6;
  const named = { size: 12, weight: 600, family: colors.sans, color: colors.ink2 };
  pen.font = `600 12px ${colors.sans}`;
  write(pen, cutToFit(pen, title, room), x, y + 9, named);
  pen.fillStyle = faded(colors.ink3, 0.14);
  pen.fillRect(x, y + 14, w, 8);
  pen.fillStyle = hatched ? hatch(faded(colors.ink3, 0.1), colors.ink3, 4, 1.2) : colors.ink2;
  pen.fillRect(x, y + 14, w * Math.min(1, share), 8);
  if (mark !== undefined) {
    pen.fillStyle = colors.alarm;
    pen.fillRect(x + w * mark - 1, y + 11, 2, 14);
  }
  write(pen, text, x + w, y + 9, { size: 12, family: colors.sans, color: colors.ink3, align: "right" });
}

/**
 * How far a clock is: {share, text} for what waits, or for what is synced.
 * @param {Waiting | undefined} waiting
 * @param {number} nowUs
 * @param {number} periodMs
 * @returns {Clock}
 */
export function clockOf(waiting, nowUs, periodMs) {
  if (!waiting?.bytes || waiting.lastUs === null) return { share: 0, text: gettext("all synced"), waits: false };
  const ms = Math.max(0, (nowUs - waiting.lastUs) / 1000);
  const texts = { ms: decimal(Math.min(ms, periodMs), 0), period: periodMs, bytes: bytes(waiting.bytes) };
  return {
    share: Math.min(1, ms / periodMs),
    text: fill(gettext("%(bytes)s unsynced, %(ms)s of %(period)s ms"), texts),
    short: fill(gettext("%(ms)s of %(period)s ms"), texts),
    waits: true,
  };
}

/** From the first removal in a file until a store of 4.x looks whether to compact it (W140). */
const COLLECTION_MS = 15_000;

/**
 * The clock of a store that never calls fsync: until it looks at the files in which messages were removed.
 * @param {Collection | undefined} collection
 * @param {number} nowUs
 */
export function collectionClock(collection, nowUs) {
  if (!collection || collection.sinceUs === null)
    return { share: 0, text: gettext("written without fsync"), short: gettext("no fsync"), waits: false, never: true, left: "" };
  const ms = Math.min(COLLECTION_MS, Math.max(0, (nowUs - collection.sinceUs) / 1000));
  const texts = { s: decimal((COLLECTION_MS - ms) / 1000, 1), n: number(collection.files.length) };
  return {
    share: ms / COLLECTION_MS,
    text: fill(ngettext("looks at %(n)s file in %(s)s s", "looks at %(n)s files in %(s)s s", collection.files.length), texts),
    short: fill(gettext("looks in %(s)s s"), texts),
    waits: true,
    left: fill(gettext("%(s)s s"), texts),
  };
}

/**
 * A clock as a dial; returns it, so that its words can be written beside.
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {Clock} clock
 */
export function paintClock(pen, x, y, clock) {
  paintDial(pen, x, y, 6, clock);
  return clock;
}

/**
 * A dial that fills in the time between a write and its fsync.
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {{ share: number, waits: boolean, never?: boolean }} dial
 */
export function paintDial(pen, x, y, radius, { share, waits, never }) {
  pen.lineWidth = 3;
  pen.strokeStyle = faded(colors.ink3, 0.22);
  pen.beginPath();
  pen.arc(x, y, radius, 0, TURN);
  pen.stroke();
  pen.lineWidth = never ? 1 : pen.lineWidth;
  if (never) return;
  pen.strokeStyle = waits ? colors["beta-o"] : colors["alpha-o"];
  pen.beginPath();
  pen.arc(x, y, radius, -TURN / 4, -TURN / 4 + TURN * (waits ? share : 1));
  pen.stroke();
  pen.lineWidth = 1;
}
