/** Where bytes are on the map of a store: the box of a record. */

/** @import { StoreScene } from "./store-map.js" */

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
