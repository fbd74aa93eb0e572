/**
 * Pictures as one animated GIF, which gifenc writes: each has up to 256 colours of its own, and is clear where it is as the one
 * before. Colours are chosen here: the most frequent stay exactly as they are, where gifenc's own choice merges shades.
 */
import { GIFEncoder, nearestColorIndex } from "../../../vendor/gifenc/gifenc.js";

const COLOURS = 256;
const STAYS = 1;

export class Gif {
  /**
   * Pictures are `width` by `height` pixels. It is played again and again.
   * @param {number} width
   * @param {number} height
   */
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.file = GIFEncoder();
    /** @type {Uint32Array?} the picture before */
    this.before = null;
  }

  /**
   * Add a picture, RGBA as a canvas gives it, which stands for hundredths of a second.
   * @param {Uint8ClampedArray} rgba
   * @param {number} hundredths
   */
  add(rgba, hundredths) {
    const { width, height, before } = this;
    const pixels = new Uint32Array(rgba.slice(0, width * height * 4).buffer);
    const changed = before ? pixels.filter((pixel, at) => pixel !== before[at]) : pixels;
    const chosen = mostFrequent(changed, before ? COLOURS - 1 : COLOURS);
    const palette = chosen.map(colourOf);
    const clear = palette.length;
    const place = placesIn(chosen, palette);
    const places = Uint8Array.from(pixels, (pixel, at) => (before?.[at] === pixel ? clear : place(pixel)));
    if (before) palette.push([0, 0, 0]);
    const shown = before ? { transparent: true, transparentIndex: clear } : {};
    this.file.writeFrame(places, width, height, { palette, delay: 10 * hundredths, dispose: STAYS, ...shown });
    this.before = pixels;
  }

  /** The whole file. */
  end() {
    this.file.finish();
    return this.file.bytes();
  }
}

/**
 * At most so many pixels' values, the most frequent first.
 * @param {Uint32Array} pixels
 * @param {number} most
 */
function mostFrequent(pixels, most) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, most).map(([pixel]) => pixel);
}

/**
 * Red, green and blue of a pixel.
 * @param {number} pixel
 */
function colourOf(pixel) {
  return [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
}

/**
 * A function from a pixel to its place among the colours, or the place of the nearest one.
 * @param {number[]} chosen
 * @param {number[][]} palette the same, as colours
 */
function placesIn(chosen, palette) {
  const known = new Map(chosen.map((pixel, place) => [pixel, place]));
  return (/** @type {number} */ pixel) => {
    let place = known.get(pixel);
    if (place === undefined) {
      place = nearestColorIndex(palette, colourOf(pixel));
      known.set(pixel, place);
    }
    return place;
  };
}
