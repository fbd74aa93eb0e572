/** The lines of the memory gauge as handles: the watermark and the paging line are dragged on it, or moved by arrows. */
import { bytes, decimal, fill, gettext } from "../../model/text.js";
import { colors } from "../base/colors.js";
import { wide } from "../base/canvas.js";
import { carry } from "../base/carry.js";
import { el, setText, show } from "../base/dom.js";
import { gaugesOf } from "./gauges.js";
import { thermometerOf } from "./over.js";

/** The lines: the setting that a line shows, its bounds, and what a share of it is measured by. */
const LINES = [
  {
    name: "vm_memory_high_watermark",
    label: () => gettext("High watermark"),
    whole: ({ settings }) => settings.ram_bytes,
    at: ({ memory }) => memory.limit,
    least: 0.05,
    most: 1,
  },
  {
    name: "vm_memory_high_watermark_paging_ratio",
    label: () => gettext("Paging ratio"),
    whole: ({ memory }) => memory.limit,
    at: ({ memory }) => memory.paging_at,
    least: 0.05,
    most: 1.1,
  },
];
const STEP = 0.01;
const PAGE = 0.1;

export class GaugeHandles {
  /** Over the canvas of `stage` in `box`, on phones over the bar of memory in `bars`; `asking` sends what is set. */
  constructor(box, bars, stage, playhead, asking) {
    this.handles = LINES.map((line) => new GaugeHandle(line, box, bars, stage, playhead, asking));
    stage.listen((scene) => {
      for (const each of this.handles) each.follow(scene);
    });
  }
}

class GaugeHandle {
  constructor(line, box, bars, stage, playhead, asking) {
    this.line = line;
    this.box = box;
    this.bars = bars;
    this.stage = stage;
    this.playhead = playhead;
    this.asking = asking;
    this.pulled = null;
    this.label = el("span");
    this.element = el(
      "div.gauge-handle",
      { role: "slider", tabindex: "0", hidden: true, "aria-label": line.label(), "data-line": line.name, title: gettext("Drag it, or press the arrows") },
      this.label,
    );
    box.append(this.element);
    this.element.addEventListener("keydown", (event) => this.key(event));
    carry(this.element, {
      pick: () => ({ gauge: this.gauge, share: this.share }),
      move: (from, event) => this.pull(from, event),
      drop: (_from, event) => this.drop(event !== null),
    });
  }

  get node() {
    return this.playhead.state.node;
  }

  get gauge() {
    return gaugesOf(this.playhead.state, colors).ram;
  }

  /** What the line is set to, as a share; null where the node has no such line. */
  get share() {
    const [at, whole] = [this.line.at(this.node), this.line.whole(this.node)];
    return at && whole ? at / whole : null;
  }

  bounded(share) {
    const { least, most } = this.line;
    return Math.round(Math.max(least, Math.min(most, share)) * 100) / 100;
  }

  pull({ gauge }, event) {
    const { top, from, length, across } = this.scale(gauge);
    const box = (across ? this.bars : this.stage.canvas).getBoundingClientRect();
    const at = (across ? event.clientX - box.left : event.clientY - box.top) / (across ? 1 : wide());
    const part = across ? (at - from) / length : (from + length - at) / length;
    this.pulled = this.bounded((top * part) / this.line.whole(this.node));
    this.held = gauge;
    this.follow(this.scene);
  }

  drop(done) {
    const share = this.pulled;
    this.pulled = null;
    if (done && share !== null) this.set(share);
    this.follow(this.scene);
  }

  set(share) {
    this.asking.send({ do: "set", name: this.line.name, value: share });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.share === null) return;
    const by = { ArrowUp: STEP, ArrowRight: STEP, ArrowDown: -STEP, ArrowLeft: -STEP, PageUp: PAGE, PageDown: -PAGE }[event.key];
    const end = { Home: this.line.least, End: this.line.most }[event.key];
    if (by === undefined && end === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.set(end ?? this.bounded(Math.round(this.share * 100) / 100 + by));
  }

  /** The gauge's scale in pixels: its most, where it begins and how long it is; `across` on phones. */
  scale(gauge) {
    const { geo } = this.scene;
    if (!geo.turned) return { top: gauge.top, ...thermometerOf(geo), across: false };
    const { process_memory: used = 0, limit = null } = this.node.memory;
    return { top: Math.max(used, (limit ?? used) * 1.2, 1), from: 0, length: this.bars.getBoundingClientRect().width, across: true };
  }

  follow(scene) {
    this.scene = scene;
    const { share, element } = this;
    show(element, share !== null);
    if (share === null) return;
    const parent = scene.geo.turned ? this.bars : this.box;
    if (element.parentElement !== parent) parent.append(element);
    const now = this.pulled ?? share;
    const { top, from, length, across } = this.scale(this.pulled === null ? this.gauge : this.held);
    const part = Math.min(1, (now * this.line.whole(this.node)) / top);
    const place = across ? [`${100 * part}%`, ""] : ["", `${Math.round((from + length * (1 - part)) * wide())}px`];
    element.classList.toggle("is-across", across);
    element.classList.toggle("is-held", this.pulled !== null);
    if (element.style.left !== place[0]) element.style.left = place[0];
    if (element.style.top !== place[1]) element.style.top = place[1];
    const text = fill(gettext("%(share)s = %(size)s"), { share: decimal(now), size: bytes(now * this.line.whole(this.node)) });
    setText(this.label, `${this.line.label()} ${text}`);
    const values = { "aria-valuemin": this.line.least, "aria-valuemax": this.line.most, "aria-valuenow": this.bounded(now), "aria-valuetext": text };
    for (const [name, value] of Object.entries(values)) if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
  }
}
