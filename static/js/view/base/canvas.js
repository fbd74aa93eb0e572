/** A canvas that follows the size of its box and the pixels of its screen. */

/** Fit the canvas to its box; gives its context scaled to CSS pixels, and whether the size is new. */
export function fitCanvas(canvas) {
  const box = canvas.getBoundingClientRect();
  const ratio = devicePixelRatio || 1;
  const width = Math.max(1, Math.round(box.width * ratio));
  const height = Math.max(1, Math.round(box.height * ratio));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, box.width, box.height);
  return { pen, width: box.width, height: box.height };
}

/** Call `changed` when the element gets another size. */
export function onResize(element, changed) {
  new ResizeObserver(() => changed()).observe(element);
}

/** How much larger than usual the type is: on a projector. */
export function typeScale() {
  if (!document.documentElement.classList.contains("presenting")) return 1;
  return Math.max(1.2, Math.min(1.55, innerWidth / 1600));
}

/** Write text; options: size, weight, mono, color, align, base. */
export function write(
  pen,
  text,
  x,
  y,
  { size = 11, weight = 450, family, color, align = "left", base = "alphabetic" },
) {
  pen.font = `${weight} ${size * typeScale()}px ${family}`;
  pen.fillStyle = color;
  pen.textAlign = align;
  pen.textBaseline = base;
  pen.fillText(text, x, y);
}

/** A rounded rectangle as the current path. */
export function roundRect(pen, x, y, w, h, radius) {
  pen.beginPath();
  pen.roundRect(x, y, w, h, Math.max(0, Math.min(radius, w / 2, h / 2)));
}
