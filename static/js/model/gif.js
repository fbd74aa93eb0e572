/** Pictures as one animated GIF (GIF89a): each has up to 256 colours of its own, and holds only what differs from the one before. */

const COLORS = 256;
const CODE_BITS = 8;
const CLEAR = 1 << CODE_BITS;
const END = CLEAR + 1;
const MOST_CODES = 4096;
const BLOCK_BYTES = 255;

/** Bytes, as many as come. */
class Bytes {
  constructor() {
    this.data = new Uint8Array(1 << 16);
    this.length = 0;
  }

  /** @param {...number} bytes */
  put(...bytes) {
    for (const byte of bytes) {
      if (this.length === this.data.length) {
        const larger = new Uint8Array(this.length * 2);
        larger.set(this.data);
        this.data = larger;
      }
      this.data[this.length] = byte;
      this.length += 1;
    }
  }

  /** @param {string} text */
  text(text) {
    this.put(...[...text].map((sign) => sign.charCodeAt(0)));
  }

  /** @param {number} value */
  short(value) {
    this.put(value & 255, value >> 8);
  }
}

export class Gif {
  /**
   * Pictures are `width` by `height` pixels. It is played again and again.
   * @param {number} width
   * @param {number} height
   */
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.out = new Bytes();
    /** @type {Uint32Array?} the picture before */
    this.before = null;
    this.out.text("GIF89a");
    this.out.short(width);
    this.out.short(height);
    this.out.put(0, 0, 0);
    this.out.put(0x21, 0xff, 11);
    this.out.text("NETSCAPE2.0");
    this.out.put(3, 1, 0, 0, 0);
  }

  /**
   * Add a picture, RGBA as a canvas gives it, which stands for hundredths of a second.
   * @param {Uint8ClampedArray} rgba
   * @param {number} hundredths
   */
  add(rgba, hundredths) {
    const pixels = new Uint32Array(rgba.buffer.slice(rgba.byteOffset, rgba.byteOffset + this.width * this.height * 4));
    const { x, y, w, h } = this.changed(pixels);
    const { table, places } = coloursOf(pixels, this.width, { x, y, w, h });
    const { out } = this;
    out.put(0x21, 0xf9, 4, 4);
    out.short(hundredths);
    out.put(0, 0, 0x2c);
    for (const value of [x, y, w, h]) out.short(value);
    out.put(0x87, ...table, CODE_BITS);
    compress(places, out);
    this.before = pixels;
  }

  /**
   * The smallest rectangle that has all that differs from the picture before; one pixel where nothing does.
   * @param {Uint32Array} pixels
   */
  changed(pixels) {
    const { width, height, before } = this;
    if (!before) return { x: 0, y: 0, w: width, h: height };
    let [left, top, right, bottom] = [width, height, -1, -1];
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1) {
        if (pixels[y * width + x] === before[y * width + x]) continue;
        if (x < left) left = x;
        if (x > right) right = x;
        if (y < top) top = y;
        bottom = y;
      }
    return bottom < 0 ? { x: 0, y: 0, w: 1, h: 1 } : { x: left, y: top, w: right - left + 1, h: bottom - top + 1 };
  }

  /** The whole file. */
  end() {
    this.out.put(0x3b);
    return this.out.data.slice(0, this.out.length);
  }
}

/**
 * Five bits of each of red, green and blue, as one number.
 * @param {number} pixel
 */
function shadeOf(pixel) {
  return ((pixel >> 3) & 31) | (((pixel >> 11) & 31) << 5) | (((pixel >> 19) & 31) << 10);
}

/**
 * The colours of a rectangle: {table, places}: the most frequent ones, and for each pixel the place of the nearest.
 * @param {Uint32Array} pixels
 * @param {number} width
 * @param {{ x: number, y: number, w: number, h: number }} part
 */
function coloursOf(pixels, width, { x, y, w, h }) {
  const counts = new Map();
  for (let row = y; row < y + h; row += 1)
    for (let at = row * width + x; at < row * width + x + w; at += 1) counts.set(pixels[at], (counts.get(pixels[at]) ?? 0) + 1);
  const chosen = [...counts].sort((a, b) => b[1] - a[1]).slice(0, COLORS).map(([pixel]) => pixel);
  const known = new Map(chosen.map((pixel, place) => [pixel, place]));
  const nearest = new Map();
  /** @param {number} pixel */
  const placeOf = (pixel) => {
    const exact = known.get(pixel);
    if (exact !== undefined) return exact;
    const shade = shadeOf(pixel);
    if (!nearest.has(shade)) nearest.set(shade, nearestTo(pixel, chosen));
    return nearest.get(shade);
  };
  const places = new Uint8Array(w * h);
  for (let row = 0; row < h; row += 1)
    for (let at = 0; at < w; at += 1) places[row * w + at] = placeOf(pixels[(y + row) * width + x + at]);
  const table = new Uint8Array(COLORS * 3);
  chosen.forEach((pixel, place) => table.set([pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255], place * 3));
  return { table, places };
}

/**
 * @param {number} pixel
 * @param {number[]} chosen
 */
function nearestTo(pixel, chosen) {
  let [best, least] = [0, Infinity];
  chosen.forEach((other, place) => {
    let away = 0;
    for (const shift of [0, 8, 16]) away += (((pixel >> shift) & 255) - ((other >> shift) & 255)) ** 2;
    if (away < least) [best, least] = [place, away];
  });
  return best;
}

/**
 * LZW as GIF has it: codes of 9 to 12 bits, the lowest bits first, in blocks.
 * @param {Uint8Array} places
 * @param {Bytes} out
 */
function compress(places, out) {
  /** @type {number[]} */
  const block = [];
  let [held, bits, size, next] = [0, 0, CODE_BITS + 1, END + 1];
  const known = new Uint16Array(MOST_CODES << CODE_BITS);
  /** @param {number} value */
  const byte = (value) => {
    block.push(value);
    if (block.length === BLOCK_BYTES) out.put(BLOCK_BYTES, ...block.splice(0));
  };
  /** @param {number} value */
  const code = (value) => {
    held |= value << bits;
    for (bits += size; bits >= 8; bits -= 8, held >>>= 8) byte(held & 255);
  };
  code(CLEAR);
  let prefix = places[0];
  for (let at = 1; at < places.length; at += 1) {
    const key = (prefix << CODE_BITS) | places[at];
    if (known[key]) {
      prefix = known[key];
      continue;
    }
    code(prefix);
    if (next === MOST_CODES) {
      code(CLEAR);
      known.fill(0);
      [size, next] = [CODE_BITS + 1, END + 1];
    } else {
      known[key] = next;
      if (next === 1 << size) size += 1;
      next += 1;
    }
    prefix = places[at];
  }
  code(prefix);
  code(END);
  if (bits) byte(held & 255);
  if (block.length) out.put(block.length, ...block);
  out.put(0);
}
