/** Colours of the canvases, read from the style sheet so that both themes have one source; and the patterns. */
import { LETTERS } from "../../model/messages.js";
import { penOf, required } from "./dom.js";
import { onThemeChange } from "./theme.js";

const NAMES = [
  "page",
  "card",
  "sunk",
  "ram",
  "disk",
  "disk2",
  "water",
  "ramline",
  "diskline",
  "line",
  "line2",
  "ink",
  "ink2",
  "ink3",
  ...LETTERS.flatMap((letter) => [letter, `${letter}-o`, `${letter}-t`]),
  "alarm",
  "sel",
  "fence",
  "fence-ink",
  "alarm-t",
  "sel-t",
];

/**
 * name -> colour; refreshed in place when the theme changes.
 * @type {Record<string, string>}
 */
export const colors = {};
/** @typedef {{ ground: string | null, stripe: string, period: number, width: number }} Recipe how a pattern of stripes is made */

/** @type {Map<string, CanvasPattern>} by their arguments */
const patterns = new Map();
/** @type {WeakMap<CanvasPattern, Recipe>} */
const recipes = new WeakMap();

function refresh() {
  const probe = document.createElement("span");
  // A picture's colours carry data: where the device forces colours on texts and controls, the canvases keep their own.
  probe.style.forcedColorAdjust = "none";
  probe.style.transitionProperty = "none"; // with reduced motion every change would be a (very short) transition
  document.body.append(probe);
  for (const name of NAMES) {
    probe.style.color = `var(--${name})`;
    colors[name] = getComputedStyle(probe).color;
  }
  const body = getComputedStyle(document.body);
  colors.sans = body.fontFamily;
  colors.mono = getComputedStyle(document.documentElement).getPropertyValue("--mono");
  probe.remove();
  patterns.clear();
}

/**
 * Read the colours, and call `changed` whenever the theme is another one.
 * @param {() => void} changed
 */
export function watchColors(changed) {
  refresh();
  onThemeChange(() => {
    refresh();
    changed();
  });
  document.fonts?.ready.then(changed);
}

/**
 * A colour with an alpha of 0 to 1.
 * @param {string} color
 * @param {number} alpha
 */
export function faded(color, alpha) {
  let parts = numbersOf.get(color);
  if (!parts) numbersOf.set(color, (parts = [...required(color.match(/[\d.]+/g), `the colour in "${color}"`)]));
  return `rgba(${parts[0]}, ${parts[1]}, ${parts[2]}, ${alpha * Number(parts[3] ?? 1)})`;
}

/** @type {Map<string, string[]>} by the colours that were read, which are those of the themes */
const numbersOf = new Map();

/**
 * How a pattern of hatch() is made, for pictures that are no canvas.
 * @param {CanvasPattern} pattern
 */
export const recipeOf = (pattern) => recipes.get(pattern);

/**
 * A pattern of diagonal stripes: `ground` may be null for none. Cached by its arguments.
 * @param {string | null} ground
 * @param {string} stripe
 * @param {number} period
 * @param {number} width
 */
export function hatch(ground, stripe, period, width) {
  const scale = devicePixelRatio || 1;
  const key = `${ground}|${stripe}|${period}|${width}|${scale}`;
  const made = patterns.get(key);
  if (made) return made;
  const pattern = makeHatch(ground, stripe, period, width, scale);
  patterns.set(key, pattern);
  recipes.set(pattern, { ground, stripe, period, width });
  return pattern;
}

/**
 * @param {string | null} ground
 * @param {string} stripe
 * @param {number} period
 * @param {number} width
 * @param {number} scale
 */
function makeHatch(ground, stripe, period, width, scale) {
  const side = Math.max(2, Math.round(period * scale * Math.SQRT2));
  const tile = document.createElement("canvas");
  tile.width = side;
  tile.height = side;
  const pen = penOf(tile);
  if (ground) {
    pen.fillStyle = ground;
    pen.fillRect(0, 0, side, side);
  }
  pen.strokeStyle = stripe;
  pen.lineWidth = width * scale;
  pen.lineCap = "square";
  for (const shift of [-side, 0, side]) {
    pen.beginPath();
    pen.moveTo(shift - 1, side + 1);
    pen.lineTo(shift + side + 1, -1);
    pen.stroke();
  }
  const pattern = required(pen.createPattern(tile, "repeat"), "a pattern of stripes");
  pattern.setTransform(new DOMMatrix().scale(1 / scale));
  return pattern;
}
