/** A picture that the reader takes away as a file: a PNG at twice its size, or an SVG, which stays sharp at every size. */
import { recipeOf } from "../base/colors.js";
import { penOf } from "../base/dom.js";
import { save } from "../base/save.js";
import { SvgPen } from "../base/svg-pen.js";

/** @typedef {{ width: number, height: number, caption: string, about: string, paint: (pen: CanvasRenderingContext2D) => void }} Picture */

const PNG_SCALE = 2;

/**
 * Draw a picture, and hand it to the reader.
 * @param {Picture} picture
 * @param {"svg" | "png"} kind
 * @param {string} name of the file, without its ending
 */
export async function savePicture(picture, kind, name) {
  const blob = await (kind === "svg" ? svgOf(picture) : pngOf(picture));
  if (blob) save(blob, `${name}.${kind}`);
}

/** @param {Picture} picture */
function svgOf(picture) {
  const measure = penOf(document.createElement("canvas"));
  const pen = new SvgPen(picture.width, picture.height, { recipeOf, measure });
  picture.paint(pen.forCanvas);
  return new Blob([pen.text(picture.caption, picture.about)], { type: "image/svg+xml" });
}

/**
 * @param {Picture} picture
 * @returns {Promise<Blob | null>}
 */
function pngOf(picture) {
  const sheet = document.createElement("canvas");
  sheet.width = Math.round(picture.width * PNG_SCALE);
  sheet.height = Math.round(picture.height * PNG_SCALE);
  const pen = penOf(sheet);
  pen.scale(PNG_SCALE, PNG_SCALE);
  picture.paint(pen);
  return new Promise((done) => {
    sheet.toBlob(done, "image/png");
  });
}
