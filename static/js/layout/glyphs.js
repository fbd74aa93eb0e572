/** The marks of one message: index tags and content blocks, in RAM and on disk, and the thread that ties them. */
import { partsOf } from "../model/messages.js";
import { box } from "./geometry.js";

/**
 * Append the marks of a message. `key` names it between two scenes, so that its parts can travel.
 * `look`: {detailed: pattern and thread, unsynced: {index, content}: which part on disk no fsync has covered}.
 */
export function pushGlyph(marks, geo, key, u, width, place, flags, look) {
  const parts = partsOf(place, flags);
  const spots = contentSpots(parts);
  if (look.detailed) pushThread(marks, geo, key, u + width / 2, parts, spots);
  const put = (part, v, dv, shape, fill, from, unsynced = false) =>
    marks.push({
      unsynced,
      key: `${key}:${part}`,
      from: from ? `${key}:${from}` : null,
      shape,
      fill,
      tone: parts.state,
      place,
      detailed: look.detailed,
      ...box(geo, u, width, v, dv),
    });
  if (spots.ram) put("rc", geo.ramContent, geo.content, "block", "solid", "dc");
  if (parts.ramIndex) put("ri", geo.ramIndex, geo.tag, "tag", "solid", "di");
  const pale = parts.state === "alpha";
  if (parts.diskIndex)
    put(
      "di",
      geo.diskIndex,
      geo.tag,
      parts.embedded ? "inset" : "tag",
      diskFill(pale, look.unsynced?.index, "solid"),
      null,
      look.unsynced?.index,
    );
  if (!spots.disk) return;
  const fill = diskFill(pale, look.unsynced?.content, FILLS[parts.state]);
  put("dc", geo.diskContent, geo.content, "block", fill, "rc", look.unsynced?.content);
}

const FILLS = { alpha: "solid", beta: "hatch", gamma: "split", delta: "outline" };

function diskFill(pale, unsynced, otherwise) {
  if (pale) return unsynced ? "dashed" : "pale";
  return otherwise;
}

/** Embedded contents sit inside the disk tag: they have no block of their own below the line. */
function contentSpots(parts) {
  return { ram: parts.ramContent, disk: parts.diskContent && !parts.embedded };
}

function pushThread(marks, geo, key, u, parts, spots) {
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
