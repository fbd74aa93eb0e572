/** The part of a lane that fills the stage: {lane, from, count}, counted in messages from the lane's head. */

/** @import { ZoomedPart } from "./stage.js" */

/** Fewer messages than these are never shown: a glyph has a largest size. */
const LEAST = 8;

/**
 * A zoom that fits its lane, which may have become shorter; null where it shows the whole lane.
 * @param {ZoomedPart | null} zoom
 * @param {Record<string, number>} counts
 */
export function fitting(zoom, counts) {
  const most = zoom ? (counts[zoom.lane] ?? 0) : 0;
  if (!zoom || zoom.count >= most || most <= LEAST) return null;
  const count = Math.max(LEAST, Math.round(zoom.count));
  return { lane: zoom.lane, count, from: Math.round(Math.max(0, Math.min(most - count, zoom.from))) };
}

/**
 * Show `factor` times as many messages of a lane, keeping the one at `index` where it is.
 * @param {ZoomedPart | null} zoom
 * @param {string} lane
 * @param {number} most
 * @param {number} factor
 * @param {number} index
 */
export function zoomed(zoom, lane, most, factor, index) {
  const before = zoom?.lane === lane ? zoom : { lane, from: 0, count: most };
  const count = Math.max(LEAST, Math.min(most, before.count * factor));
  const share = before.count ? (index - before.from) / before.count : 0;
  return fitting({ lane, count, from: index - share * count }, { [lane]: most });
}

/**
 * Move along the lane by a share of what is shown; positive towards the tail, where newer messages are.
 * @param {ZoomedPart} zoom
 * @param {number} share
 * @param {Record<string, number>} counts
 */
export function panned(zoom, share, counts) {
  return fitting({ ...zoom, from: zoom.from + Math.sign(share) * Math.max(1, Math.abs(share) * zoom.count) }, counts);
}
