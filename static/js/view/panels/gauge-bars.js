/** Memory and disk as bars, for narrow pages, and in words. */
import { generationOf } from "../../model/generations.js";
import { shownState } from "../../model/shown.js";
import { fileBytes, memoryOf, strategyOf } from "../../model/facts.js";
import { bytes, fill, gettext } from "../../model/text.js";
import { need, setAttributes, setText } from "../base/dom.js";
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
    setText(need("b", this.ram), bytes(used));
    const strategy = strategyOf(state.node.settings);
    const counted = need("[data-counted-as]", this.ram);
    setText(counted, ` (${strategy})`);
    setAttributes(counted, { title: fill(gettext("as %(strategy)s counts it"), { strategy }) });
    /**
     * @param {string} name
     * @param {number} value
     */
    const set = (name, value) => {
      const share = `${Math.min(100, (100 * value) / top).toFixed(1)}%`;
      if (this.ram.style.getPropertyValue(name) !== share) this.ram.style.setProperty(name, share);
    };
    set("--used", used);
    set("--paging", paging ?? top);
    this.ram.classList.toggle("no-paging", paging === null);
    set("--limit", limit ?? top);
    setText(need("b", this.disk), bytes(fileBytes(state)));
    const queue = shownState(state);
    const load = queue ? generationOf(queue).gauge(queue, state.node.settings) : null;
    setText(this.text, [gaugeText(state), load?.text].filter(Boolean).join(" "));
  }
}
