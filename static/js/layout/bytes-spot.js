/** Where bytes are on the maps of the files: boxes for a segment's entry and for a record of a store. */

/**
 * @import { IndexScene } from "./index-map.js"
 * @import { StoreScene } from "./store-map.js"
 */

/**
 * The cell of an entry in an index scene, the line that folds its segment, or null.
 * @param {IndexScene} scene
 * @param {{ segment: number, relative: number }} given
 */
export function entrySpot(scene, { segment, relative }) {
  const fold = scene.items.find((each) => each.folded && segment >= each.from && segment <= each.to);
  if (fold) return { x: fold.x, y: fold.y, w: Math.min(fold.w, 120), h: fold.h - 4 };
  const item = scene.items.find((each) => each.number === segment);
  if (!item) return null;
  const { columns, cw, ch, gap } = item.grid;
  return {
    x: item.mapX + (relative % columns) * cw,
    y: item.y + Math.floor(relative / columns) * ch,
    w: Math.max(5, cw - gap),
    h: Math.max(5, ch - gap),
  };
}

/**
 * The block of a record in a store scene, or null where its file is not shown.
 * @param {StoreScene} scene
 * @param {{ file: number, offset: number, bytes: number }} given
 */
export function recordSpot(scene, { file, offset, bytes }) {
  const item = scene.files.find((each) => each.number === file);
  if (!item) return null;
  const perByte = item.w / scene.scale;
  return { x: item.x + offset * perByte, y: item.y, w: Math.max(4, bytes * perByte), h: item.h };
}
