/** The numbers of version 2's transitions that stand in their fields, and what they are called. */
import { gettext } from "../../../model/text.js";

/** @import { Kind, TransitionOf, Values } from "../../../model/catalogue/types.js" */

/** @param {number[][]} files each as its number, its bytes, and more */
const bytesOf = (files) => files.reduce((sum, [, bytes]) => sum + bytes, 0);

/** @type {{ [K in Kind]?: (t: TransitionOf<K>) => Values }} */
export const NUMBERS = {
  BodiesRead: ({ segment, start, count }) => ({ segment, start, stop: start + count - 1, count }),
  FilesFound: ({ segments, bodies, live }) => ({
    segments: segments.length,
    slots_live: live.reduce((sum, [, count]) => sum + count, 0),
    bytes: bytesOf(segments),
    body_files: bodies.length,
    body_bytes: bytesOf(bodies),
  }),
  CollectionTimed: ({ files }) => ({ count: files.length, files: files.map((each) => `${each}.rdq`).join(", ") }),
};

/** @type {Record<string, () => string>} */
export const FILE_NUMBERS = {
  body_bytes: () => gettext("bytes of .qs files"),
  body_files: () => gettext(".qs files"),
  files: () => gettext("files"),
  segment: () => gettext("segment"),
  segments: () => gettext(".qi files"),
  slots_live: () => gettext("messages that are there again"),
};
