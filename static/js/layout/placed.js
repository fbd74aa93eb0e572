/** Where on the stage the reader puts messages by hand: the lane under a point, and the places of the chips that stand for them. */

/**
 * @import { Box } from "./geometry.js"
 * @import { Scene } from "./stage.js"
 */
/** A point between two lanes belongs to the nearer one; farther away from all it belongs to none. */
const NEAR = 16;
const CHIP = { pitch: 34, height: 24 };
/** On a phone a lane's count stands at the end of its heading. */
const COUNT = 40;

/**
 * The name of the lane at a point of the canvas, or null.
 * @param {Scene} scene
 * @param {number} x
 * @param {number} y
 * @returns {string | null}
 */
export function laneAt({ geo, lanes }, x, y) {
  if (x < 0 || y < 0 || x > geo.width || y > geo.height) return null;
  const u = geo.turned ? y : x;
  /** @param {Scene["lanes"][number]} lane */
  const away = (lane) => Math.max(0, lane.head - u, u - lane.u1);
  const nearest = lanes.reduce((best, lane) => (away(lane) < away(best) ? lane : best));
  return away(nearest) <= NEAR ? nearest.name : null;
}

/**
 * A spot for each message that was put into a lane: {seq, x, y}, the oldest next to the consumer, closer together where
 * they are many. They stand above the contents, or on a phone beside the lane's name.
 * @param {Scene} scene as stageScene made it
 * @param {Record<string, string>} put lane by message
 */
export function chipSpots({ geo, lanes }, put) {
  return lanes.flatMap(({ name, head, u0, u1 }) => {
    const seqs = Object.keys(put).filter((seq) => put[seq] === name).sort((a, b) => Number(a) - Number(b));
    const end = geo.turned ? geo.width - COUNT : u1;
    const room = geo.turned ? geo.width / 2 : u1 - u0;
    const pitch = seqs.length ? Math.min(CHIP.pitch, room / seqs.length) : 0;
    const y = geo.turned ? head + 10 : geo.ram + 3;
    return seqs.map((seq, at) => ({ seq, x: Math.round(end - CHIP.pitch - at * pitch), y }));
  });
}

/**
 * The rectangle of a lane on the canvas, null for a place that is no lane.
 * @param {Scene} scene
 * @param {string} name
 * @returns {Box | null}
 */
export function laneBox({ geo, lanes }, name) {
  const lane = lanes.find((each) => each.name === name);
  if (!lane) return null;
  const [u, du] = [lane.head, lane.u1 - lane.head];
  return geo.turned ? { x: 0, y: u, w: geo.width, h: du } : { x: u, y: 0, w: du, h: geo.end };
}
