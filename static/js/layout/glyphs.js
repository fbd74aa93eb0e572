/** The marks of one message: index tags and content blocks, in RAM and on disk, and the thread that ties them. */
import { EXTENT as E } from "../model/catalogue/rows.js";
import { bodyBytes } from "../model/columns.js";
import { partsOf } from "../model/messages.js";
import { box } from "./geometry.js";

/**
 * @import { Extent, Values } from "../model/catalogue/types.js"
 * @import { Box, Geo } from "./geometry.js"
 */

/**
 * A part of a message as it is drawn: a shape with its place, filling and tone. `key` names it between two scenes; `from`
 * is the key of what it came from.
 * @typedef {Values & Box & { key: string, from: string | null, shape: string, fill: string, tone: string }} Mark
 */

/**
 * The appearance of a message: with pattern and thread, which part on disk no fsync has covered, and how high its content is.
 * @typedef {{ detailed?: boolean, unsynced?: { index: boolean, content: boolean } | null, height?: number }} Appearance
 */

/**
 * Append the marks of a message. `key` names it between two scenes, so that its parts can travel.
 * `options`: {detailed: pattern and thread, unsynced: {index, content}: which part on disk no fsync has covered}.
 * @param {Mark[]} marks
 * @param {Geo} geo
 * @param {string} key
 * @param {number} u
 * @param {number} width
 * @param {string} place
 * @param {number} flags
 * @param {Appearance} options
 */
export function pushGlyph(marks, geo, key, u, width, place, flags, options) {
  const parts = partsOf(place, flags);
  const spots = contentSpots(parts);
  if (options.detailed) pushThread(marks, geo, key, u + width / 2, parts, spots);
  /**
   * @param {string} part
   * @param {number} v
   * @param {number} dv
   * @param {string} shape
   * @param {string} fill
   * @param {string | null} from
   */
  const put = (part, v, dv, shape, fill, from, unsynced = false) =>
    marks.push({
      unsynced,
      key: `${key}:${part}`,
      from: from ? `${key}:${from}` : null,
      shape,
      fill,
      tone: parts.state,
      place,
      detailed: options.detailed,
      ...box(geo, u, width, v, dv),
    });
  // Content of less height stands nearer to the waterline, in RAM as on disk.
  const high = geo.content * (options.height ?? 1);
  if (spots.ram) put("rc", geo.ramContent + geo.content - high, high, "block", "solid", "dc");
  if (parts.ramIndex) put("ri", geo.ramIndex, geo.tag, "tag", "solid", "di");
  const pale = parts.state === "alpha";
  if (parts.diskIndex)
    put(
      "di",
      geo.diskIndex,
      geo.tag,
      parts.embedded ? "inset" : "tag",
      diskFill(pale, options.unsynced?.index, "solid"),
      null,
      options.unsynced?.index,
    );
  if (!spots.disk) return;
  const fill = diskFill(pale, options.unsynced?.content, FILLS[parts.state]);
  put("dc", geo.diskContent, high, "block", fill, "rc", options.unsynced?.content);
}

/** @type {Record<string, string>} */
const FILLS = { alpha: "solid", beta: "hatch", gamma: "split", delta: "outline" };

/**
 * @param {boolean} pale
 * @param {boolean | undefined} unsynced
 * @param {string} otherwise
 */
function diskFill(pale, unsynced, otherwise) {
  if (pale) return unsynced ? "dashed" : "pale";
  return otherwise;
}

/**
 * Embedded contents sit inside the disk tag: they have no block of their own below the line.
 * @param {ReturnType<typeof partsOf>} parts
 */
function contentSpots(parts) {
  return { ram: parts.ramContent, disk: parts.diskContent && !parts.embedded };
}

/**
 * @param {Mark[]} marks
 * @param {Geo} geo
 * @param {string} key
 * @param {number} u
 * @param {ReturnType<typeof partsOf>} parts
 * @param {ReturnType<typeof contentSpots>} spots
 */
function pushThread(marks, geo, key, u, parts, spots) {
  /** @type {number[]} */
  const levels = [];
  if (spots.ram) levels.push(geo.ramContent, geo.ramContent + geo.content);
  if (parts.ramIndex) levels.push(geo.ramIndex, geo.ramIndex + geo.tag);
  if (parts.diskIndex) levels.push(geo.diskIndex, geo.diskIndex + geo.tag);
  if (spots.disk) levels.push(geo.diskContent, geo.diskContent + geo.content);
  const low = Math.min(...levels);
  marks.push({
    key: `${key}:t`,
    from: null,
    shape: "thread",
    fill: "solid",
    tone: "thread",
    ...box(geo, u - 0.5, 1, low, Math.max(...levels) - low),
  });
}

/** From how many bytes on content is how high, as a share of the whole height; the second is the border of the store. */
const CLASSES = [
  { from: 65536, height: 1 },
  { from: 4096, height: 0.8 },
  { from: 1024, height: 0.6 },
  { from: 0, height: 0.4 },
];

/**
 * The height of the content of messages of a row, from the one at `offset` on, by what each has on average. Messages of one
 * size are drawn at the whole height, as they always are.
 * @param {Extent} row
 * @param {number} offset
 * @param {number} many
 */
export function heightOf(row, offset, many) {
  const each = row[E.size_bytes];
  if (each >= 0) return 1;
  const count = Math.max(1, Math.min(many, row[E.count] - offset));
  const mean = bodyBytes(each, row[E.msg_no] + offset, count) / count;
  return CLASSES.find(({ from }) => mean >= from)?.height ?? 1;
}
