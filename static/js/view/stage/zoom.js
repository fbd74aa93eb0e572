/** Zoom and pan of a lane: by wheel, by dragging, by buttons, by keys. */
import { panned, zoomed } from "../../layout/stage.js";
import { hit } from "../../layout/stage.js";
import { fill, gettext, number } from "../../model/text.js";
import { placeOf } from "../base/canvas.js";
import { find, need, setText, show } from "../base/dom.js";

/**
 * @import { Lane, Scene, ZoomedPart } from "../../layout/stage.js"
 * @import { StageView } from "./stage.js"
 */

const STEP = 2;
const WHEEL = 0.0022;
const PAN = 0.25;
/** A press that moves less is a click. */
const SLACK_PX = 5;

/**
 * @param {Scene} scene
 * @param {MouseEvent} event
 */
function hitAt(scene, event) {
  const { x, y } = placeOf(event);
  return hit(scene, x, y);
}

export class Zoom {
  /**
   * @param {HTMLElement} root
   * @param {StageView} stage
   */
  constructor(root, stage) {
    this.root = root;
    this.stage = stage;
    this.label = find("[data-zoom-text]", root);
    this.fit = need("[data-act=zoom-fit]", HTMLButtonElement, root);
    this.out = need("[data-act=zoom-out]", HTMLButtonElement, root);
    /** @type {Scene | null} the scene that was painted last */
    this.scene = null;
    /** @type {{ at: number, from: number, pitch: number, moved: boolean } | null} the press that moves a zoomed lane */
    this.press = null;
    const { canvas } = stage;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("dblclick", (event) => this.into(event));
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const type of ["pointerup", "pointercancel"]) canvas.addEventListener(type, () => this.up());
    need("[data-act=zoom-in]", root).addEventListener("click", () => this.by(1 / STEP));
    this.out.addEventListener("click", () => this.by(STEP));
    this.fit.addEventListener("click", () => this.set(null));
    stage.listen((scene) => this.follow(scene));
  }

  /** @param {ZoomedPart | null} zoom */
  set(zoom) {
    this.stage.zoom = zoom;
    this.stage.update();
  }

  /**
   * Zoom the lane that is zoomed already, or the longest that is folded, about the middle of what is shown.
   * @param {number} factor
   */
  by(factor) {
    const lane = this.lane;
    if (!lane) return;
    const { from, shown } = lane.plan;
    this.set(zoomed(this.stage.zoom, lane.name, lane.count, factor, from + shown / 2));
  }

  /**
   * Move by a quarter of what is shown: 1 towards the newest, -1 towards the head.
   * @param {number} direction
   */
  pan(direction) {
    if (this.stage.zoom) this.set(panned(this.stage.zoom, direction * PAN, this.counts));
  }

  get counts() {
    return Object.fromEntries((this.scene?.lanes ?? []).map((lane) => [lane.name, lane.count]));
  }

  get lane() {
    const lanes = this.scene?.lanes ?? [];
    const { zoom } = this.stage;
    if (zoom) return lanes.find((lane) => lane.name === zoom.lane);
    return lanes.filter((lane) => lane.plan.folded).sort((a, b) => b.count - a.count)[0];
  }

  /**
   * With Ctrl (or two fingers on a pad) the wheel zooms; over a zoomed lane it pans.
   * @param {WheelEvent} event
   */
  wheel(event) {
    const found = this.scene && hitAt(this.scene, event);
    if (!found) return;
    const { zoom } = this.stage;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const factor = Math.exp(event.deltaY * WHEEL * (event.deltaMode ? 16 : 1));
      this.set(zoomed(zoom, found.lane.name, found.lane.count, factor, found.index));
    } else if (zoom?.lane === found.lane.name) {
      event.preventDefault();
      const turn = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? -event.deltaX : event.deltaY;
      this.set(panned(zoom, turn * WHEEL, this.counts));
    }
  }

  /** @param {MouseEvent} event */
  into(event) {
    const found = this.scene && hitAt(this.scene, event);
    if (found?.lane.plan.folded)
      this.set(zoomed(this.stage.zoom, found.lane.name, found.lane.count, 1 / (STEP * STEP), found.index));
  }

  /** @param {PointerEvent} event */
  down(event) {
    const { zoom } = this.stage;
    const found = zoom && this.scene && hitAt(this.scene, event);
    if (!found || found.lane.name !== zoom?.lane) return;
    this.press = { at: this.along(event), from: zoom.from, pitch: this.pitch(found.lane), moved: false };
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (!this.press || !event.buttons || !this.stage.zoom) return;
    const way = this.along(event) - this.press.at;
    if (Math.abs(way) < SLACK_PX && !this.press.moved) return;
    this.press.moved = true;
    this.stage.dragged = true;
    const from = this.press.from + way / this.press.pitch;
    this.set(panned({ ...this.stage.zoom, from }, 0, this.counts) ?? this.stage.zoom);
  }

  up() {
    this.press = null;
  }

  /** @param {PointerEvent} event */
  along(event) {
    const { x, y } = placeOf(event);
    return this.scene?.geo.turned ? y : x;
  }

  /** @param {Lane} lane */
  pitch(lane) {
    return (lane.u1 - lane.u0) / Math.max(1, lane.plan.shown);
  }

  /** @param {Scene} scene */
  follow(scene) {
    this.scene = scene;
    const { zoom, canvas } = this.stage;
    canvas.classList.toggle("is-zoomed", zoom !== null);
    const { lane } = this;
    show(this.root, Boolean(lane));
    if (!lane) return;
    show(this.label, zoom !== null);
    for (const button of [this.fit, this.out]) if (button.disabled !== (zoom === null)) button.disabled = zoom === null;
    if (!zoom) return;
    const values = {
      lane: lane.name,
      from: number(zoom.from + 1),
      to: number(zoom.from + zoom.count),
      count: number(lane.count),
    };
    setText(this.label, fill(gettext("%(lane)s: %(from)s\u2013%(to)s of %(count)s"), values));
  }
}
