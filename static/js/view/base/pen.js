/** What is drawn everywhere: text and boxes. */

/**
 * Write text; options: size, weight, mono, color, align, base.
 * @param {CanvasRenderingContext2D} pen
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {{ size?: number, weight?: number, family: string, color: string, align?: CanvasTextAlign, base?: CanvasTextBaseline }} style
 */
export function write(
  pen,
  text,
  x,
  y,
  { size = 12, weight = 450, family, color, align = "left", base = "alphabetic" },
) {
  pen.font = `${weight} ${size}px ${family}`;
  pen.fillStyle = color;
  pen.textAlign = align;
  pen.textBaseline = base;
  pen.fillText(text, x, y);
}

/**
 * A text cut with an ellipsis so that it fits into `room` pixels, in the font that the pen has.
 * @param {CanvasRenderingContext2D} pen
 * @param {string} text
 * @param {number} room
 */
export function cutToFit(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  let length = text.length - 1;
  while (length > 0 && pen.measureText(`${text.slice(0, length).trimEnd()}\u2026`).width > room) length -= 1;
  return length > 0 ? `${text.slice(0, length).trimEnd()}\u2026` : "";
}

/**
 * A rounded rectangle as the current path.
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {number} radius
 */
export function roundRect(pen, x, y, w, h, radius) {
  pen.beginPath();
  pen.roundRect(x, y, w, h, Math.max(0, Math.min(radius, w / 2, h / 2)));
}
