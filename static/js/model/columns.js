/**
 * Bodies of messages that differ, the twin of engine/values/sizes.py. Where a row has a negative number for its bytes, the
 * node told before what each message has: a column with running sums, so what many have together is one subtraction.
 */

/** A record without its body is shorter than 2^20 bytes. */
const OWN = 2 ** 20;
const FRAME_BYTES = 131064;

/** @typedef {{ first: number, bodies: Float64Array, framed: Float64Array }} Column */

/** @type {Map<number, Column>} */
const COLUMNS = new Map();

/**
 * What a body takes in a stored term: its frames and their list; an empty body has no frame.
 * @param {number} size
 */
const framedBytes = (size) => (size ? 5 + 5 * Math.ceil(size / FRAME_BYTES) + size : 0);

/**
 * Take note of what the node told: by the number of a column its first message and all sizes.
 * @param {Record<string, [first: number, sizes: number[]]>} [bodies]
 */
export function learn(bodies = {}) {
  for (const [number, [first, sizes]] of Object.entries(bodies)) {
    if (COLUMNS.has(Number(number))) continue;
    const column = { first, bodies: new Float64Array(sizes.length + 1), framed: new Float64Array(sizes.length + 1) };
    for (let at = 0; at < sizes.length; at += 1) {
      column.bodies[at + 1] = column.bodies[at] + sizes[at];
      column.framed[at + 1] = column.framed[at] + framedBytes(sizes[at]);
    }
    COLUMNS.set(Number(number), column);
  }
}

/**
 * @param {number} each
 * @param {"bodies" | "framed"} sums
 * @param {number} msgNo
 * @param {number} count
 */
function sum(each, sums, msgNo, count) {
  const column = COLUMNS.get(Math.floor((-1 - each) / OWN));
  if (!column || !count) return 0;
  const at = msgNo - column.first;
  return column[sums][at + count] - column[sums][at];
}

/**
 * Body bytes of messages together.
 * @param {number} each what a row has for the bytes of each
 * @param {number} msgNo
 * @param {number} count
 */
export function bodyBytes(each, msgNo, count) {
  return each >= 0 ? each * count : sum(each, "bodies", msgNo, count);
}

/**
 * Bytes of store records together.
 * @param {number} each what a row has for the bytes of each
 * @param {number} msgNo
 * @param {number} count
 */
export function recordBytes(each, msgNo, count) {
  return each >= 0 ? each * count : ((-1 - each) % OWN) * count + sum(each, "framed", msgNo, count);
}
