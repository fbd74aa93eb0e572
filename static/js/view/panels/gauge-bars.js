/** Memory and disk as bars, for narrow pages, and in words. */
import { strategyOf } from "../../model/situation.js";
import { bytes } from "../../model/text.js";
import { fileBytes, gaugeText } from "../stage/gauges.js";

export class GaugeBars {
  constructor(root, playhead) {
    this.root = root;
    this.playhead = playhead;
    this.ram = root.querySelector("[data-gauge=ram]");
    this.disk = root.querySelector("[data-gauge=disk]");
    this.text = root.querySelector("[data-gauge-text]");
  }

  update() {
    const { state } = this.playhead;
    const { process_memory: used = 0, limit = null, paging_at: paging = null } = state.node.memory;
    const top = Math.max(used, (limit ?? used) * 1.2, 1);
    this.ram.querySelector("b").textContent = bytes(used);
    this.ram.querySelector("[data-counted-as]").textContent = strategyOf(state.node.settings);
    const set = (name, value) => this.ram.style.setProperty(name, `${Math.min(100, (100 * value) / top)}%`);
    set("--used", used);
    set("--paging", paging ?? top);
    set("--limit", limit ?? top);
    this.disk.querySelector("b").textContent = bytes(fileBytes(state));
    this.text.textContent = gaugeText(state);
  }
}
