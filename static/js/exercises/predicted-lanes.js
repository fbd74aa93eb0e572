/** The learner's prediction on the lanes: a dashed frame with the number of messages that were predicted there. */
import { predictedFrames } from "../layout/predicted-lanes.js";
import { fill, gettext } from "../model/text.js";
import { setText } from "../view/base/dom.js";

/**
 * @import { Scene } from "../layout/stage.js"
 * @import { StageView } from "../view/stage/stage.js"
 */

export class PredictedLanes {
  /**
   * `box` holds the stage's canvas; `lanes` is the prediction; `stage` calls its listeners for each scene that it has drawn.
   * @param {Element} box
   * @param {Record<string, number>} lanes
   * @param {StageView} stage
   */
  constructor(box, lanes, stage) {
    this.lanes = lanes;
    /** @type {Map<string, HTMLElement>} */
    this.frames = new Map();
    for (const lane of Object.keys(lanes)) {
      const frame = document.createElement("div");
      frame.className = "predicted-lane";
      frame.dataset.predicted = lane;
      frame.append(document.createElement("span"));
      box.append(frame);
      this.frames.set(lane, frame);
    }
    this.stage = stage;
    stage.open = true;
    stage.listen((scene) => this.show(scene));
    stage.refresh();
  }

  /** Take them off the stage. */
  remove() {
    for (const frame of this.frames.values()) frame.remove();
    this.frames.clear();
    this.stage.open = false;
    this.stage.refresh();
  }

  /** @param {Scene} scene */
  show(scene) {
    for (const { lane, x, y, w, h, predicted } of predictedFrames(scene, this.lanes)) {
      const frame = this.frames.get(lane);
      if (!frame) continue;
      Object.assign(frame.style, { left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` });
      setText(frame.firstElementChild, fill(gettext("you said: %(count)s here"), { count: predicted }));
    }
  }
}
