/** The lines of the memory gauge as handles: the watermark and the paging line are dragged on it, or moved by arrows. */
import { memoryOf } from "../../model/facts.js";
import { bytes, decimal, fill, gettext } from "../../model/text.js";
import { colors } from "../base/colors.js";
import { wide } from "../base/canvas.js";
import { carry } from "../base/carry.js";
import { el, setText, show } from "../base/dom.js";
import { ramGauge } from "./gauges.js";
import { thermometerOf } from "./over.js";

/**
 * @import { Geo } from "../../layout/geometry.js"
 * @import { Scene } from "../../layout/stage.js"
 * @import { RunSnapshot, Values } from "../../model/catalogue/types.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { CommandSender } from "../base/command-sender.js"
 * @import { StageView } from "./stage.js"
 */

/** The lines: the setting that a line shows, its bounds, and what a share of it is measured by. */
const LINES = [
  {
    name: "vm_memory_high_watermark",
    label: () => gettext("High watermark"),
    /** @param {RunSnapshot} state */
    whole: ({ node }) => node.settings.ram_bytes,
    /** @param {RunSnapshot} state */
    at: (state) => memoryOf(state).limit,
    least: 0.05,
    most: 1,
  },
  {
    name: "vm_memory_high_watermark_paging_ratio",
    label: () => gettext("Paging ratio"),
    /** @param {RunSnapshot} state */
    whole: (state) => memoryOf(state).limit,
    /** @param {RunSnapshot} state */
    at: (state) => memoryOf(state).pagingAt,
    least: 0.05,
    most: 1.1,
  },
];
const STEP = 0.01;
const PAGE = 0.1;

export class GaugeHandles {
  /**
   * Over the canvas of `stage` in `box`, on phones over the bar of memory in `bars`; `sender` sends what is set.
   * @param {HTMLElement} box
   * @param {HTMLElement} bars
   * @param {StageView} stage
   * @param {Playhead} playhead
   * @param {CommandSender} sender
   */
  constructor(box, bars, stage, playhead, sender) {
    this.handles = LINES.map((line) => new GaugeHandle(line, box, bars, stage, playhead, sender));
    stage.listen((scene) => {
      for (const each of this.handles) each.follow(scene);
    });
  }
}

class GaugeHandle {
  /**
   * @param {Values} line
   * @param {HTMLElement} box
   * @param {HTMLElement} bars
   * @param {StageView} stage
   * @param {Playhead} playhead
   * @param {CommandSender} sender
   */
  constructor(line, box, bars, stage, playhead, sender) {
    this.line = line;
    this.box = box;
    this.bars = bars;
    this.stage = stage;
    this.playhead = playhead;
    this.sender = sender;
    /** @type {Scene | null} the scene that was painted last */
    this.scene = null;
    /** @type {Values | null} the gauge as it was when the press began: its scale stays while it is dragged */
    this.held = null;
    /** @type {number | null} the share to which it is dragged */
    this.pulled = null;
    /** The present text of the handle: the share and its bytes. */
    this.described = "";
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
      /**
       * @param {Values} from the gauge and the share when the press began
       * @param {PointerEvent} event
       */
      move: (from, event) => this.pull(from, event),
      /**
       * @param {Values} _from
       * @param {PointerEvent | null} event
       */
      drop: (_from, event) => this.drop(event !== null),
    });
  }

  get state() {
    return this.playhead.state;
  }

  get gauge() {
    return ramGauge(this.playhead.state, colors);
  }

  /** What the line is set to, as a share; null where the node has no such line. */
  get share() {
    const [at, whole] = [this.line.at(this.state), this.line.whole(this.state)];
    return at && whole ? at / whole : null;
  }

  /** @param {number} share */
  bounded(share) {
    const { least, most } = this.line;
    return Math.round(Math.max(least, Math.min(most, share)) * 100) / 100;
  }

  /**
   * @param {Values} given
   * @param {PointerEvent} event
   */
  pull({ gauge }, event) {
    const { scene } = this;
    if (!scene) return;
    this.pulled = this.bounded((this.top(gauge, scene.geo) * this.partAt(event, scene.geo)) / this.line.whole(this.state));
    this.held = gauge;
    this.follow(scene);
  }

  /**
   * Where the pointer is on the gauge, as a part of its length.
   * @param {PointerEvent} event
   * @param {Geo} geo
   */
  partAt(event, geo) {
    const box = (geo.turned ? this.bars : this.stage.canvas).getBoundingClientRect();
    if (geo.turned) return (event.clientX - box.left) / box.width;
    const { from, length } = thermometerOf(geo);
    return (from + length - (event.clientY - box.top) / wide()) / length;
  }

  /** @param {boolean} done */
  drop(done) {
    const share = this.pulled;
    this.pulled = null;
    this.held = null;
    if (done && share !== null) this.set(share);
    if (this.scene) this.follow(this.scene);
  }

  /** @param {number} share */
  set(share) {
    this.sender.send({ do: "set", name: this.line.name, value: share });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { share } = this;
    if (event.ctrlKey || event.metaKey || event.altKey || share === null) return;
    const by = { ArrowUp: STEP, ArrowRight: STEP, ArrowDown: -STEP, ArrowLeft: -STEP, PageUp: PAGE, PageDown: -PAGE }[event.key];
    const end = { Home: this.line.least, End: this.line.most }[event.key];
    const to = by === undefined ? end : this.bounded(Math.round(share * 100) / 100 + by);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.set(to);
  }

  /**
   * The bytes at the end of the gauge; the bar on phones has a scale of its own.
   * @param {Values} gauge
   * @param {Geo} geo
   */
  top(gauge, geo) {
    if (!geo.turned) return gauge.top;
    const { used, limit } = memoryOf(this.state);
    return Math.max(used, (limit ?? used) * 1.2, 1);
  }

  /**
   * Stand where the line is; called with each frame that is painted, so it does not measure the page.
   * @param {Scene} scene
   */
  follow(scene) {
    this.scene = scene;
    const { share, element } = this;
    show(element, share !== null);
    if (share === null) return;
    const { geo } = scene;
    const parent = geo.turned ? this.bars : this.box;
    if (element.parentElement !== parent) parent.append(element);
    const now = this.pulled ?? share;
    const size = now * this.line.whole(this.state);
    this.stand(Math.min(1, size / this.top(this.held ?? this.gauge, geo)), geo);
    if (this.described === `${now} ${size}`) return;
    this.described = `${now} ${size}`;
    this.describe(now, size);
  }

  /**
   * At a part of the gauge's length; across on phones.
   * @param {number} part
   * @param {Geo} geo
   */
  stand(part, geo) {
    const { element } = this;
    const { from, length } = thermometerOf(geo);
    const place = geo.turned ? [`${100 * part}%`, ""] : ["", `${Math.round((from + length * (1 - part)) * wide())}px`];
    element.classList.toggle("is-across", geo.turned);
    element.classList.toggle("is-held", this.pulled !== null);
    if (element.style.left !== place[0]) element.style.left = place[0];
    if (element.style.top !== place[1]) element.style.top = place[1];
  }

  /**
   * @param {number} share
   * @param {number} size
   */
  describe(share, size) {
    const text = fill(gettext("%(share)s = %(size)s"), { share: decimal(share), size: bytes(size) });
    setText(this.label, `${this.line.label()} ${text}`);
    const values = { "aria-valuemin": this.line.least, "aria-valuemax": this.line.most, "aria-valuenow": this.bounded(share), "aria-valuetext": text };
    for (const [name, value] of Object.entries(values)) this.element.setAttribute(name, String(value));
  }
}
