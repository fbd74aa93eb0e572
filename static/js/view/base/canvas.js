/** A canvas that follows the size of its box and the pixels of its screen. */
import { penOf } from "./dom.js";

let measured = { key: "", scale: 1 };

/** How much larger type and glyphs are drawn on a very wide screen, or to present; the style sheet sets it (`--wide`). */
export function wide() {
  const root = document.documentElement;
  const key = `${innerWidth} ${root.className}`;
  if (measured.key !== key)
    measured = { key, scale: Number(getComputedStyle(root).getPropertyValue("--wide")) || 1 };
  return measured.scale;
}

/**
 * Where the pointer is on a canvas, in the canvas' own units.
 * @param {{ offsetX: number, offsetY: number }} event
 */
export function placeOf({ offsetX, offsetY }) {
  const scale = wide();
  return { x: offsetX / scale, y: offsetY / scale };
}

/** The boxes of the canvases. The browser reports when one changes; measuring in each frame would lay the page out twice. */
const boxes = new WeakMap();
const watcher = globalThis.ResizeObserver
  ? new ResizeObserver((entries) => {
      for (const { target, contentRect } of entries) boxes.set(target, contentRect);
    })
  : null;

/** @param {HTMLCanvasElement} canvas */
function boxOf(canvas) {
  if (!boxes.has(canvas)) {
    boxes.set(canvas, canvas.getBoundingClientRect());
    watcher?.observe(canvas);
  }
  return boxes.get(canvas);
}

/**
 * The size of a canvas in its own units: CSS pixels, fewer where everything is drawn larger.
 * @param {HTMLCanvasElement} canvas
 */
export function sizeOf(canvas) {
  const { width, height } = boxOf(canvas);
  const scale = wide();
  return { width: width / scale, height: height / scale };
}

/**
 * Fit the canvas to its box; gives its context and its size, both in the canvas' own units.
 * @param {HTMLCanvasElement} canvas
 */
export function fitCanvas(canvas) {
  const box = boxOf(canvas);
  const ratio = devicePixelRatio || 1;
  const width = Math.max(1, Math.round(box.width * ratio));
  const height = Math.max(1, Math.round(box.height * ratio));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const pen = penOf(canvas);
  const scale = wide();
  pen.setTransform(ratio * scale, 0, 0, ratio * scale, 0, 0);
  pen.clearRect(0, 0, box.width / scale, box.height / scale);
  return { pen, width: box.width / scale, height: box.height / scale };
}

/**
 * Call `changed` when the element gets another size.
 * @param {HTMLElement} element
 * @param {() => void} changed
 */
export function onResize(element, changed) {
  new ResizeObserver(() => changed()).observe(element);
}
