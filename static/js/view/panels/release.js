/** What the release has no more: its controls are hidden, and what stands beside them says so. */
import { goneIn } from "../../model/places.js";
import { findAll, show } from "../base/dom.js";

/** @import { Playhead } from "../../model/playhead.js" */

export class Release {
  /**
   * Of the page: `data-needs` names what an element is of no use without, `data-gone` what it says the end of.
   * @param {Playhead} playhead
   */
  constructor(playhead) {
    this.playhead = playhead;
    /** @type {string | undefined} the release that the page shows now */
    this.shown = undefined;
  }

  update() {
    const { settings } = this.playhead.state.node;
    const release = String(settings.release ?? "");
    if (release === this.shown) return;
    this.shown = release;
    const gone = goneIn(settings);
    for (const each of findAll("[data-needs]")) show(each, !gone[each.dataset.needs ?? ""]);
    for (const each of findAll("[data-gone]")) show(each, Boolean(gone[each.dataset.gone ?? ""]));
  }
}
