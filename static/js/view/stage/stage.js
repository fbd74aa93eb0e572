/** The stage on its canvas: follows the session, lets marks travel, and finds what the pointer is over. */
import { DELTA as D, EXTENT as E } from "../../model/catalogue/rows.js";
import { frameOf, messageAt, rowsOfLane, spotOf } from "../../layout/spot.js";
import { hit, stageScene } from "../../layout/stage.js";
import { walker } from "../../layout/lane.js";
import { alarmsOf } from "../../model/facts.js";
import { lengthOf, pendingOf } from "../../model/messages.js";
import { UNACKED, aboutPlace, stageLanesOf } from "../../model/places.js";
import { Selection } from "../../model/selection.js";
import { shownQueue, shownState } from "../../model/shown.js";
import { fitCanvas, onResize, placeOf, sizeOf, wide } from "../base/canvas.js";
import { gaugesOf } from "./gauges.js";
import { Flights } from "./flight.js";
import { colors } from "../base/colors.js";
import { CALM_SPEED, Pace, act, draw } from "../base/scheduler.js";
import { paintAxis, paintBands, paintHeaders, paintMark } from "./frame.js";
import { paintDelta, paintFence, paintLoad, paintPills, paintRing, paintSurplus, paintThermometer, paintTide } from "./over.js";
import { Slide, Tween } from "./tween.js";

/**
 * @import { Lane, Scene, ZoomedPart } from "../../layout/stage.js"
 * @import { AnyTransition, QueueSnapshot } from "../../model/catalogue/types.js"
 * @import { Fate } from "../../model/fate.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Fates } from "./fates.js"
 * @import { LaneChange } from "./frame.js"
 */

const TURN_BELOW = 720;
const CHANGE_MS = 1600;
const MANY_ROWS = 250;

/** @typedef {{ instant: boolean, moves: boolean }} Way whether marks change in one step, and whether they travel */
/** @type {Way} */
const AT_ONCE = { instant: true, moves: false };

export class StageView {
  /**
   * `canvas` is drawn on; `session` is shown; `selection` holds the messages that the reader chose. Without it nothing is chosen.
   * @param {HTMLCanvasElement} canvas
   * @param {Playhead} session
   * @param {Selection | null} [selection]
   */
  constructor(canvas, session, selection = null) {
    this.canvas = canvas;
    this.session = session;
    this.chooses = selection !== null;
    this.selection = selection ?? new Selection();
    /**
     * What the pointer is over is handed on with each move.
     * @type {(target: {hover: { lane: Lane, index: number } | null, x: number, y: number}) => void}
     */
    this.pointing = () => {};
    this.tween = new Tween();
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)");
    /** @type {Record<string, { value: number, at: number }>} by how much lanes changed, and when */
    this.changes = {};
    /** @type {Record<string, number>} */
    this.lengths = {};
    /** @type {{ lane: Lane, index: number } | null} */
    this.hover = null;
    /** @type {{ x: number, y: number } | null} */
    this.pointer = null;
    /** @type {number | null} the target at which the reader holds the fence */
    this.held = null;
    /** @type {() => number | null} the target of what Why? explains */
    this.explains = () => null;
    /** @type {ZoomedPart | null} which part of a lane fills the stage */
    this.zoom = null;
    /** How many times longer than usual marks travel: more than 1 while an event is shown slowly. */
    this.slower = 1;
    /** Whether empty lanes keep their room: messages are put into them here. */
    this.open = false;
    /** Whether the press that ends now moved the stage: then it is no click. */
    this.dragged = false;
    this.pace = new Pace();
    /** Whether the last frame requested another. */
    this.goesOn = false;
    this.flights = new Flights(() => this.reduced.matches);
    /** @type {Fates | null} what a stop would do to the messages, where the page shows it */
    this.fates = null;
    /** @type {((scene: Scene) => void)[]} */
    this.painted = [];
    /** @type {Scene | null} what is aimed for, and what was drawn last */
    this.scene = null;
    /** @type {Scene | null} */
    this.shown = null;
    /** @type {Slide | null} */
    this.slide = null;
    /** @type {Way | null} how the tween goes to the next scene; null where the next scene is already shown */
    this.stale = AT_ONCE;
    this.selection.listen(() => this.refresh());
    onResize(canvas, () => this.refresh({ instant: true }));
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerleave", () => this.point(null));
    canvas.addEventListener("click", (event) => this.click(event));
  }

  /**
   * Call `listener(scene)` when the stage has been drawn.
   * @param {(scene: Scene) => void} listener
   */
  listen(listener) {
    this.painted.push(listener);
  }

  /** The state is another one: aim for its scene. `rows` is how much happened at once. */
  update({ rows = 0, kind = "frame" } = {}) {
    this.noteChanges(kind === "snapshot" && !this.scene);
    const quick = this.session.speed > CALM_SPEED && this.session.play;
    this.stale = { instant: quick || rows > MANY_ROWS, moves: !this.reduced.matches };
    draw(this, (now) => this.paint(now));
  }

  /**
   * A transition was folded: what enters no lane flies past them.
   * @param {AnyTransition} t
   */
  observe(t) {
    if (!this.session.behind) this.flights.observe(t, shownQueue(this.session.state), performance.now());
  }

  /**
   * Show what a stop would leave of the queue, or no more with null.
   * @param {Fate | null} fate
   */
  showFates(fate) {
    if (this.fates) this.fates.shown = fate;
    this.refresh();
  }

  /**
   * The stop comes now: what it loses leaves outlines, until it is called with null.
   * @param {Fate | null} fate
   */
  cutFates(fate) {
    if (this.scene) this.fates?.cut(this.scene, this.moment, fate);
    this.refresh();
  }

  /** Another queue is shown: nothing of the one before is carried over. */
  another() {
    this.lengths = {};
    this.changes = {};
    this.scene = null;
    this.shown = null;
    this.hover = null;
    this.zoom = null;
    this.selection.point(null);
    this.flights.list = [];
    this.noteChanges(true);
    this.refresh({ instant: true });
  }

  /** Draw again what is there. */
  refresh({ instant = false } = {}) {
    if (instant || !this.scene) this.stale = AT_ONCE;
    draw(this, (now) => this.paint(now));
  }

  /** @param {boolean} first */
  noteChanges(first) {
    const { queue } = this;
    const now = performance.now();
    for (const name of stageLanesOf(queue)) {
      const length = name === UNACKED ? pendingOf(queue) : lengthOf(queue, name);
      const difference = length - (this.lengths[name] ?? 0);
      this.lengths[name] = length;
      if (first || difference === 0) continue;
      const running =
        this.changes[name] && now - this.changes[name].at < CHANGE_MS / 2 ? this.changes[name].value : 0;
      this.changes[name] = { value: running + difference, at: now };
    }
  }

  /**
   * Aim for the scene of the state.
   * @param {number} now
   * @param {Way} way
   */
  rescene(now, way) {
    const box = sizeOf(this.canvas);
    const turned = innerWidth < TURN_BELOW;
    // On a slow device marks that still travel would never arrive: they are put at their goals at once.
    const instant = way.instant || this.pace.slow;
    const before = this.shown?.geo.turned === turned && !instant ? this.shown : null;
    const { state, unsynced } = this.session;
    this.scene = stageScene(state, box.width, box.height, turned, { unsynced, held: this.held, explained: this.explains(), zoom: this.zoom, open: this.open });
    this.zoom = this.scene.zoom;
    const slide = new Slide(before, this.scene, now, this.slide);
    this.slide = slide;
    this.hover = this.pointer ? hit(this.scene, this.pointer.x, this.pointer.y) : null;
    if (this.pointer) this.selection.point(this.seqAt(this.hover));
    if (this.pointer) this.pointing({ hover: this.hover, ...this.pointer });
    this.tween.aim(this.scene.marks, now, { instant, moves: way.moves, turned, slower: this.slower });
    this.stale = null;
    return slide;
  }

  /** @param {number} now */
  paint(now) {
    const { pen } = fitCanvas(this.canvas);
    this.pace.frame(now, this.goesOn);
    const slide = this.stale || !this.slide ? this.rescene(now, this.stale ?? AT_ONCE) : this.slide;
    const moving = this.tween.at(now) || slide.end > now;
    const scene = slide.at(now);
    this.shown = scene;
    const flying = this.paintOn(pen, scene, now);
    this.fates?.paint(pen, scene, this.moment);
    act(this, () => {
      for (const listener of this.painted) listener(scene);
    });
    this.goesOn = moving || flying || Object.keys(this.changes).length > 0;
    return this.goesOn;
  }

  /**
   * Draw a scene with a pen, the canvas' own or that of an export; returns whether something is in flight.
   * @param {CanvasRenderingContext2D} pen
   * @param {Scene} scene
   * @param {number} now
   */
  paintOn(pen, scene, now) {
    const gauges = gaugesOf(this.session.state, colors);
    paintBands(pen, scene, alarmsOf(this.session.state), () => paintTide(pen, scene.geo, gauges.ram));
    this.paintMarks(pen, scene);
    paintFence(pen, scene);
    paintSurplus(pen, scene);
    paintDelta(pen, scene);
    paintLoad(pen, scene);
    paintPills(pen, scene);
    const flying = this.flights.paint(pen, scene, now);
    this.paintRings(pen, scene);
    paintHeaders(pen, scene, this.shownChanges(now));
    // Numbers stand below the lanes while somebody points at a message, has chosen one, or has enlarged a lane.
    const { chosen, focused, pointed } = this.selection;
    if (scene.zoom || [chosen, focused, pointed].some((seq) => seq !== null)) paintAxis(pen, scene, edgesOf(this.queue, scene.zoom));
    const { geo } = scene;
    const disk = geo.waterline + geo.thickness;
    if (!geo.turned) paintThermometer(pen, 14, disk + 18, geo.end - disk - 20, gauges.disk);
    return flying;
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Scene} scene
   */
  paintMarks(pen, { geo: { turned } }) {
    for (const visual of this.tween.leaving) paintMark(pen, visual, turned);
    for (const visual of this.tween.visuals.values())
      if (visual.mark.shape === "thread") paintMark(pen, visual, turned);
    for (const visual of this.tween.visuals.values())
      if (visual.mark.shape !== "thread") paintMark(pen, visual, turned);
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Scene} scene
   */
  paintRings(pen, scene) {
    if (this.hover) paintRing(pen, frameOf(scene, this.hover.lane, this.hover.index), false);
    const { chosen, focused, pointed } = this.selection;
    for (const seq of [chosen, focused, pointed]) {
      const frame = seq === null ? null : this.frameOf(seq);
      if (frame) paintRing(pen, frame, seq === chosen || seq === focused);
    }
  }

  get queue() {
    return shownState(this.session.state);
  }

  /** Which queue is shown, and at which moment. */
  get moment() {
    const { state, position, behind } = this.session;
    return { name: shownQueue(state), queue: this.queue, position, behind };
  }

  /**
   * The rectangle of a message on the canvas, as it is shown now, or null.
   * @param {number} seq
   */
  frameOf(seq) {
    const { shown, queue } = this;
    const spot = shown && queue ? spotOf(shown, queue, seq) : null;
    return shown && spot ? frameOf(shown, spot.lane, spot.index) : null;
  }

  /**
   * Where a leader line leaves a message, in pixels of the window, or null.
   * @param {number} seq
   */
  footOf(seq) {
    const frame = this.frameOf(seq);
    if (!frame) return null;
    const box = this.canvas.getBoundingClientRect();
    const scale = wide();
    return { x: box.left + scale * (frame.x + frame.w / 2), y: box.top + scale * (frame.y + frame.h) };
  }

  /** @param {number} now */
  shownChanges(now) {
    /** @type {Record<string, LaneChange>} */
    const shown = {};
    for (const [name, change] of Object.entries(this.changes)) {
      const age = now - change.at;
      if (age > CHANGE_MS || change.value === 0) delete this.changes[name];
      else shown[name] = { value: change.value, alpha: Math.min(1, (CHANGE_MS - age) / 400) };
    }
    return shown;
  }

  /** @param {PointerEvent | null} event */
  point(event) {
    const before = this.hover;
    this.pointer = event && placeOf(event);
    this.hover = this.pointer && this.scene ? hit(this.scene, this.pointer.x, this.pointer.y) : null;
    this.selection.point(this.seqAt(this.hover));
    this.canvas.classList.toggle("points", Boolean(this.hover));
    this.pointing({ hover: this.hover, x: 0, y: 0, ...this.pointer });
    if (before?.lane !== this.hover?.lane || before?.index !== this.hover?.index) this.refresh();
  }

  /** @param {{ lane: Lane, index: number } | null} found */
  seqAt(found) {
    return found ? (messageAt(this.session.state, found.lane.name, found.index)?.seq ?? null) : null;
  }

  /** @param {PointerEvent} event */
  click(event) {
    if (this.dragged) {
      this.dragged = false;
      return;
    }
    if (!this.chooses) return;
    const { x, y } = placeOf(event);
    const target = this.scene ? hit(this.scene, x, y) : null;
    this.selection.choose(this.seqAt(target));
  }
}

/**
 * The seq_id at an index of a lane.
 * @param {QueueSnapshot | null} queue
 * @param {string} name
 * @param {number} index
 */
function seqAt(queue, name, index) {
  const found = walker(rowsOfLane(queue, name))(index);
  return found ? found.row[E.start] + found.offset : 0;
}

/**
 * First and last seq_id of each lane, of a zoomed one those that are shown.
 * @param {QueueSnapshot | null} queue
 * @param {ZoomedPart | null} zoom
 */
function edgesOf(queue, zoom) {
  /** @type {Record<string, number[]>} */
  const edges = {};
  if (!queue) return edges;
  for (const name of stageLanesOf(queue)) {
    const rows = name !== UNACKED && aboutPlace(name).counted ? [] : rowsOfLane(queue, name);
    const last = rows[rows.length - 1];
    if (last) edges[name] = [rows[0][E.start], last[E.start] + last[E.count] - 1];
  }
  for (const [name, record] of Object.entries(queue.counted)) {
    const [start, end] = [record[D.start], record[D.end]];
    if (record[D.count] && start !== null && end !== null) edges[name] = [start, end - 1];
  }
  if (zoom) edges[zoom.lane] = [zoom.from, zoom.from + zoom.count - 1].map((index) => seqAt(queue, zoom.lane, index));
  return edges;
}
