/** Memory and disk as bars, for narrow pages, and in words. */
import { strategyOf } from "../../model/situation.js";
import { bytes } from "../../model/text.js";
import { find } from "../base/dom.js";
import { fileBytes, gaugeText } from "../stage/gauges.js";

/** @import { Playhead } from "../../model/playhead.js" */

export class GaugeBars {
  /**
   * @param {HTMLElement} root
   * @param {Playhead} playhead
   */
  constructor(root, playhead) {
    this.root = root;
    this.playhead = playhead;
    this.ram = find("[data-gauge=ram]", root);
    this.disk = find("[data-gauge=disk]", root);
    this.text = find("[data-gauge-text]", root);
  }

  update() {
    const { state } = this.playhead;
    const { process_memory: used = 0, limit = null, paging_at: paging = null } = state.node.memory;
    const top = Math.max(used, (limit ?? used) * 1.2, 1);
    this.ram.querySelector("b").textContent = bytes(used);
    this.ram.querySelector("[data-counted-as]").textContent = strategyOf(state.node.settings);
    /**
     * @param {string} name
     * @param {number} value
     */
    const set = (name, value) => this.ram.style.setProperty(name, `${Math.min(100, (100 * value) / top)}%`);
    set("--used", used);
    set("--paging", paging ?? top);
    set("--limit", limit ?? top);
    this.disk.querySelector("b").textContent = bytes(fileBytes(state));
    this.text.textContent = gaugeText(state);
  }
}
