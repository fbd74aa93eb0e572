/** MD5 (RFC 1321), by which the broker names its directories; the browser's own digests do not have it. */
const SHIFTS = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
];
const SINES = Array.from({ length: 64 }, (_, at) => Math.floor(Math.abs(Math.sin(at + 1)) * 2 ** 32) | 0);

/** @type {((b: number, c: number, d: number) => number)[]} */
const MIXES = [
  (b, c, d) => (b & c) | (~b & d),
  (b, c, d) => (b & d) | (c & ~d),
  (b, c, d) => b ^ c ^ d,
  (b, c, d) => c ^ (b | ~d),
];
/** @type {((at: number) => number)[]} */
const PLACES = [(at) => at, (at) => (5 * at + 1) % 16, (at) => (3 * at + 5) % 16, (at) => (7 * at) % 16];

/**
 * The sixteen bytes of the digest of some bytes.
 * @param {Uint8Array} bytes
 */
export function md5(bytes) {
  const length = ((bytes.length + 8) >> 6) * 64 + 64;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(length - 8, bytes.length * 8, true);
  const sums = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476];
  for (let block = 0; block < length; block += 64) {
    let [a, b, c, d] = sums;
    for (let at = 0; at < 64; at += 1) {
      const round = at >> 4;
      const sum = (a + MIXES[round](b, c, d) + SINES[at] + view.getInt32(block + 4 * PLACES[round](at), true)) | 0;
      const by = SHIFTS[round][at % 4];
      [a, d, c, b] = [d, c, b, (b + ((sum << by) | (sum >>> (32 - by)))) | 0];
    }
    [a, b, c, d].forEach((each, at) => (sums[at] = (sums[at] + each) | 0));
  }
  const found = new DataView(new ArrayBuffer(16));
  sums.forEach((each, at) => found.setInt32(4 * at, each, true));
  return new Uint8Array(found.buffer);
}
