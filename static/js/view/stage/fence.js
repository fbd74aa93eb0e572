/** The fence of target_ram_count as something to take hold of: by mouse, by touch, by keyboard. */
import { targetAt } from "../../layout/fence.js";
import { readyOf } from "../../model/messages.js";
import { shownQueue, shownState } from "../../model/shown.js";
import { memoryOf, targetOf } from "../../model/facts.js";
import { fill, gettext, ngettext, number } from "../../model/text.js";
import { wide } from "../base/canvas.js";
import { need, setAttributes, setText, show } from "../base/dom.js";

/**
 * @import { Geo } from "../../layout/geometry.js"
 * @import { Scene } from "../../layout/stage.js"
 * @import { RunSnapshot } from "../../model/catalogue/types.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { StageView } from "./stage.js"
 */

/**
 * How many contents a key moves the fence by: an eighth of a segment.
 * @param {RunSnapshot} state
 */
export function fenceStep(state) {
  return Math.max(1, Math.round((state.node.settings.segment_entry_count || 8) / 8));
}

export class FenceHandle {
  /**
   * Over the stage's canvas in `box`. `set(target)` pins the fence at a number of contents, or frees it with null.
   * @param {HTMLElement} box
   * @param {StageView} stage
   * @param {Playhead} playhead
   * @param {(target: number | null) => unknown} set
   */
  constructor(box, stage, playhead, set) {
    this.box = box;
    this.stage = stage;
    this.playhead = playhead;
    this.set = set;
    this.handle = need("[data-fence]", box);
    this.label = need("[data-fence-text]", box);
    this.free = need("[data-act=free-target]", box);
    /** @type {Scene | null} the scene that was painted last */
    this.scene = null;
    /** @type {{ target: number | null, u?: number } | null} the press that holds it: at how many contents, and where; null between presses */
    this.held = null;
    /** Whether paging has begun in this run: before, the target says nothing to anybody. */
    this.met = false;
    /** What the place of the handle was last computed from. */
    this.placed = "";
    this.handle.addEventListener("pointerdown", (event) => this.grab(event));
    this.handle.addEventListener("pointermove", (event) => this.drag(event));
    this.handle.addEventListener("pointerup", () => this.drop(true));
    this.handle.addEventListener("pointercancel", () => this.drop(false));
    this.handle.addEventListener("keydown", (event) => this.key(event));
    this.free.addEventListener("click", () => {
      set(null);
      this.handle.focus();
    });
    stage.listen((scene) => this.follow(scene));
  }

  get queue() {
    return shownState(this.playhead.state);
  }

  /** @param {PointerEvent} event */
  grab(event) {
    if (event.button !== 0 || !this.scene) return;
    event.preventDefault();
    this.handle.focus();
    this.handle.setPointerCapture(event.pointerId);
    this.held = { target: null };
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (!this.held || !this.scene) return;
    const area = this.stage.canvas.getBoundingClientRect();
    const { geo, lanes } = this.scene;
    const u = (geo.turned ? event.clientY - area.top : event.clientX - area.left) / wide();
    const target = targetAt(lanes, u);
    this.held = { target, u: Math.max(geo.u0, Math.min(geo.u1, u)) };
    this.show(target);
  }

  /** @param {boolean} done */
  drop(done) {
    const target = this.held?.target ?? null;
    this.held = null;
    if (done && target !== null) this.set(target);
    this.show(null);
  }

  /**
   * Let the stage show what would leave.
   * @param {number | null} target
   */
  show(target) {
    if (this.stage.held === target) this.place();
    else {
      this.stage.held = target;
      this.stage.refresh({ instant: true });
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const now = this.target ?? this.most;
    /** @type {Record<string, number>} */
    const steps = {
      ArrowLeft: 1, ArrowUp: 1, ArrowRight: -1, ArrowDown: -1, PageUp: this.step, PageDown: -this.step,
    };
    if (event.key === "Delete" || event.key === "Backspace") this.set(null);
    else if (event.key === "Home") this.set(0);
    else if (event.key === "End") this.set(this.most);
    else if (event.key in steps) this.set(Math.max(0, now + steps[event.key]));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** How far a key moves the fence. */
  get step() {
    return fenceStep(this.playhead.session.state);
  }

  get target() {
    return targetOf(this.queue);
  }

  /** More than these contents there are not: the ready messages. */
  get most() {
    return this.queue ? readyOf(this.queue) : 0;
  }

  /** @param {Scene} scene */
  follow(scene) {
    this.scene = scene;
    this.met ||= this.target !== null || memoryOf(this.playhead.session.state).past;
    show(this.handle, this.met && Boolean(this.queue) && !scene.empty);
    this.place();
  }

  /** Where the fence stands or is held; with an infinite target it waits at the newest message's side. */
  place() {
    const { scene, held, target } = this;
    if (!scene || this.handle.hidden) {
      show(this.free, false);
      this.placed = "";
      return;
    }
    const { geo, fence } = scene;
    const shown = held?.target ?? target;
    // A phone leaves empty lanes out: there it waits in the first lane that is shown, below its name.
    const [first] = scene.lanes.filter((lane) => !geo.turned || lane.count);
    const u = Math.round(held?.u ?? fence?.u ?? (first ?? scene.lanes[0]).u0);
    const chip = this.pinned && !held && !this.playhead.behind;
    const from = [shown, u, held !== null, chip, this.most, geo.turned, geo.width, geo.ram, geo.waterline, wide()].join();
    if (from === this.placed) return;
    this.placed = from;
    this.handle.classList.toggle("is-free", shown === null);
    this.handle.classList.toggle("is-held", held !== null);
    this.handle.classList.toggle("is-left", !geo.turned && u > geo.width - 170);
    /** @param {number} length */
    const px = (length) => `${length * wide()}px`;
    this.handle.style[geo.turned ? "top" : "left"] = px(u);
    this.handle.style[geo.turned ? "left" : "top"] = px(geo.turned ? 0 : geo.ram);
    this.handle.style.height = geo.turned ? "" : px(geo.waterline - geo.ram);
    this.handle.style.width = geo.turned ? px(geo.waterline) : "";
    this.handle.classList.toggle("is-turned", geo.turned);
    setText(this.label, geo.turned ? number(shown) : `target_ram_count ${number(shown)}`);
    this.writeValue(shown);
    this.chip(geo, u, chip);
  }

  /** @param {number | null} shown */
  writeValue(shown) {
    setAttributes(this.handle, {
      "aria-valuemax": Math.max(this.most, shown ?? 0),
      "aria-valuenow": shown ?? this.most,
      "aria-valuetext":
        shown === null
          ? gettext("infinite: every content may stay in RAM")
          : fill(ngettext("%(n)s content may stay in RAM", "%(n)s contents may stay in RAM", shown), { n: number(shown) }),
    });
  }

  /**
   * The chip that frees a pinned fence.
   * @param {Geo} geo
   * @param {number} u
   * @param {boolean} shown
   */
  chip(geo, u, shown) {
    show(this.free, shown);
    if (!shown) return;
    const left = this.handle.classList.contains("is-left");
    const scale = wide();
    const at = u * scale;
    const beside = this.label.getBoundingClientRect().width + 4;
    const fits = at + beside + 70 * scale < geo.width * scale;
    this.free.classList.toggle("is-left", left);
    this.free.style.left = geo.turned ? "" : `${left ? at - beside : fits ? at + beside : at}px`;
    this.free.style.top = geo.turned ? `${at + 27}px` : `${scale * (geo.ram + (fits || left ? 4 : 27))}px`;
  }

  get pinned() {
    const { state, timeline } = this.playhead;
    const name = shownQueue(state);
    return (name === null ? null : timeline.pins[name]) ?? (state.node.settings.target_ram_count ?? null) !== null;
  }
}
