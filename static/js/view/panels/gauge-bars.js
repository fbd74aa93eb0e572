/** Memory and disk as bars, for narrow pages, and in words. */
import { generationOf } from "../../model/generations.js";
import { shownState } from "../../model/shown.js";
import { fileBytes, memoryOf, strategyOf } from "../../model/facts.js";
import { bytes, fill, gettext } from "../../model/text.js";
import { need } from "../base/dom.js";
import { gaugeText } from "../stage/gauges.js";

/** @import { Playhead } from "../../model/playhead.js" */

export class GaugeBars {
  /**
   * @param {HTMLElement} root
   * @param {Playhead} playhead
   */
  constructor(root, playhead) {
    this.root = root;
    this.playhead = playhead;
    this.ram = need("[data-gauge=ram]", root);
    this.disk = need("[data-gauge=disk]", root);
    this.text = need("[data-gauge-text]", root);
  }

  update() {
    const { state } = this.playhead;
    const { used, limit, pagingAt: paging } = memoryOf(state);
    const top = Math.max(used, (limit ?? used) * 1.2, 1);
    need("b", this.ram).textContent = bytes(used);
    const strategy = strategyOf(state.node.settings);
    const counted = need("[data-counted-as]", this.ram);
    counted.textContent = ` (${strategy})`;
    counted.title = fill(gettext("as %(strategy)s counts it"), { strategy });
    /**
     * @param {string} name
     * @param {number} value
     */
    const set = (name, value) => this.ram.style.setProperty(name, `${Math.min(100, (100 * value) / top)}%`);
    set("--used", used);
    set("--paging", paging ?? top);
    this.ram.classList.toggle("no-paging", paging === null);
    set("--limit", limit ?? top);
    need("b", this.disk).textContent = bytes(fileBytes(state));
    const queue = shownState(state);
    const load = queue ? generationOf(queue).gauge(queue, state.node.settings) : null;
    this.text.textContent = [gaugeText(state), load?.text].filter(Boolean).join(" ");
  }
}
