/** The stage and what belongs to it, in order: the canvas, its list in words, the tooltip, zoom, the fence's handle. */
import { shownQueue } from "../../model/shown.js";
import { dataOf, findAll, need, show } from "../base/dom.js";
import { FenceHandle } from "./fence.js";
import { GaugeHandles } from "./gauge-handle.js";
import { PutBack } from "./put-back.js";
import { StageView } from "./stage.js";
import { Tooltip, nameChosen } from "./tooltip.js";
import { Twin } from "./twin.js";
import { Zoom } from "./zoom.js";

/**
 * @import { Mark } from "../../layout/glyphs.js"
 * @import { Values } from "../../model/catalogue/types.js"
 * @import { Live } from "../base/live.js"
 */

/** @type {Record<string, (mark: Mark) => boolean>} */
const MARKS = { copy: ({ fill }) => fill === "pale", unsynced: ({ unsynced }) => Boolean(unsynced) };

/**
 * Build the room from what the page shares.
 * @param {Live} live
 */
export function buildStage(live) {
  const { root, session, playhead, selection, sender } = live;
  const view = new StageView(need("[data-canvas=stage]", HTMLCanvasElement, root), playhead, selection);
  session.watch((t) => view.observe(t));
  // The key of a mark stands in the legend once the stage has shown one.
  for (const item of findAll("[data-mark]", root)) {
    const shown = MARKS[dataOf(item, "mark")];
    view.listen(({ marks }) => item.hidden && show(item, marks.some(shown)));
  }
  const tooltip = new Tooltip(need("[data-tooltip]", root), playhead);
  view.pointing = (target) => tooltip.update(target);
  nameChosen(need("[data-chosen]"), selection);
  const back = new PutBack(need(".stage-box", root), view, playhead, sender);
  const twin = new Twin(need("#twin"), playhead, selection, (seq) => back.put(seq));
  const zoom = new Zoom(need("[data-zoom]", root), view);
  const fence = new FenceHandle(need(".stage-box", root), view, playhead, (target) => setTarget(live, target));
  const gauges = new GaugeHandles(need(".stage-box", root), need("[data-gauge=ram]", root), view, playhead, sender);
  return { view, tooltip, twin, zoom, fence, gauges };
}

/**
 * Pin the target of the queue that is shown, or free it with null.
 * @param {Values} given
 * @param {number | null} value
 */
async function setTarget({ session, sender }, value) {
  const many = Object.keys(session.state.queues).length > 1;
  const where = many ? { queue: shownQueue(session.state) } : {};
  await sender.send({ do: "set", name: "target_ram_count", value, ...where });
}
