/**
 * What follows the run and the playhead: the pictures every frame, and in the same frame the panels that speak of the same moment; the
 * other panels a little slower. Behind the present the pictures stay; the dock and the panels follow the run.
 */
import { throttle } from "../base/dom.js";
import { act } from "../base/scheduler.js";

/**
 * @import { Move } from "../../model/playhead.js"
 * @import { Change } from "../../model/session.js"
 * @import { Live } from "../base/live.js"
 * @import { Rooms } from "./rooms.js"
 */

/** Panels that say what the stage shows: they never say another moment than it does. */
const BESIDE = new Set(["status", "gauges", "queues", "why", "narrative", "clients", "routes"]);
const PANEL_MS = 120;
const IN_A_FRAME = 4;
/**
 * Where a reader goes to a moment from without letting go of the reason that is explained.
 * @type {Set<unknown>}
 */
const STAYS = new Set(["narrative", "why"]);

export class Updates {
  /**
   * `live` has the run; `rooms` are stage, files, time and panels.
   * @param {Live} live
   * @param {Rooms} rooms
   */
  constructor({ session, playhead }, rooms) {
    this.session = session;
    this.playhead = playhead;
    this.rooms = rooms;
    const panels = Object.entries(rooms.panels);
    this.beside = panels.filter(([name]) => BESIDE.has(name)).map(([, panel]) => panel);
    this.others = panels.filter(([name]) => !BESIDE.has(name)).map(([, panel]) => panel);
    this.panels = throttle(PANEL_MS, () => act("panels", () => this.begin()));
    /** @type {{ update: () => void }[]} the panels that still wait for their turn in this round */
    this.waiting = [];
    /** Whether something changed during a round: the panels that had their turn by then have not shown it. */
    this.stale = false;
    session.listen((change) => this.ranOn(change));
    playhead.listen((change) => this.playheadMoved(change));
  }

  /**
   * The run went on.
   * @param {Change} change
   */
  ranOn(change) {
    if (!this.playhead.behind && (change.rows || change.kind === "snapshot")) this.pictures(change);
    else if (!this.playhead.behind && this.session.unsynced.any) this.rooms.files.update();
    this.dock();
  }

  /**
   * Another moment is shown.
   * @param {Move} change
   */
  playheadMoved(change) {
    const { panels, time } = this.rooms;
    if (!STAYS.has(change.from)) {
      panels.why.pinned = false;
      panels.narrative.release();
    }
    panels.why.mark();
    this.pictures(change);
    time.moment.announce();
    this.dock();
  }

  /** Another queue is shown: everything follows it. */
  another() {
    const { stage, files, time } = this.rooms;
    stage.view.another();
    files.update();
    stage.twin.update();
    time.charts.update();
    for (const panel of this.beside) panel.update();
    this.begin();
  }

  /** @param {Change | Move} change */
  pictures(change) {
    const { stage, files, panels } = this.rooms;
    stage.view.update(change);
    act("files", () => files.update());
    stage.twin.update();
    act("follow", () => panels.follow.update());
  }

  dock() {
    const { charts, bar, scrubber, moment, until } = this.rooms.time;
    charts.update();
    act("beside", () => {
      for (const panel of this.beside) panel.update();
    });
    act("bar", () => {
      bar.update();
      scrubber.update();
      moment.update();
      until.update();
    });
    this.panels();
  }

  /** A round of the panels: a few in each frame, so that no frame has the work of all. Each has its turn in every round. */
  begin() {
    this.stale = this.waiting.length > 0;
    if (this.stale) return;
    this.waiting = [...this.others];
    this.turn();
  }

  turn() {
    const now = this.waiting.splice(0, IN_A_FRAME);
    if (this.waiting.length) act("turn", () => this.turn());
    else if (this.stale) this.panels();
    for (const panel of now) panel.update();
  }

  /** Colours or type are other ones. */
  repaint() {
    const { stage, files, time, panels } = this.rooms;
    stage.view.refresh();
    files.update();
    time.charts.update();
    panels.instruments.repaint();
  }
}
