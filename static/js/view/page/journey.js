/**
 * One message followed through its life: from event to event the picture, the reason, the index cell, the block in the
 * store and the bytes go along. And its life on one page, to take away.
 */
import { spotOf } from "../../layout/spot.js";
import { posterOf } from "../../model/poster.js";
import { lineOf, momentOf } from "../../model/timeline.js";
import { fill, gettext, number } from "../../model/text.js";
import { narrate } from "../../model/why.js";
import { find, need, setText } from "../base/dom.js";
import { later } from "./later.js";

/**
 * @import { LifeEvent } from "../../model/life.js"
 * @import { Live } from "../base/live.js"
 * @import { Rooms } from "./rooms.js"
 */

const STAY_MS = 1700;
/** How many messages around the one that is followed are shown of a lane that is folded. */
const AROUND = 17;

export class Journey {
  /**
   * `live` has the run; `rooms` are stage and panels.
   * @param {HTMLElement} root
   * @param {Live} live
   * @param {Rooms} rooms
   */
  constructor(root, { playhead, engine, alerts }, { stage, panels }) {
    this.playhead = playhead;
    this.engine = engine;
    this.stage = stage;
    this.panels = panels;
    this.atNeed = later(alerts, async () => await import("./at-need.js"));
    this.timer = 0;
    /** Which event of the life is shown, and the position to which that led. */
    this.at = -1;
    this.went = -1;
    this.button = need("[data-act=journey]", root);
    this.button.addEventListener("click", () => (this.timer ? this.stop() : this.start()));
    need("[data-act=poster-svg]", root).addEventListener("click", () => this.poster("svg"));
    need("[data-act=poster-png]", root).addEventListener("click", () => this.poster("png"));
    playhead.listen(() => this.timer && this.went !== playhead.position && this.stop());
  }

  get life() {
    return this.panels.follow.life;
  }

  start() {
    if (!this.life?.events.length) return;
    this.engine.control({ play: false });
    this.at = -1;
    this.mark(true);
    this.step();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.mark(false);
  }

  /** @param {boolean} on */
  mark(on) {
    this.button.setAttribute("aria-pressed", String(on));
    setText(find("span", this.button), on ? gettext("Stop") : gettext("Follow"));
  }

  /** The next event of the life that is still kept. */
  step() {
    const { life, playhead } = this;
    this.at += 1;
    const event = life?.events[this.at];
    if (!event) {
      this.stop();
      return;
    }
    this.timer = setTimeout(() => this.step(), STAY_MS);
    this.went = event.number + 1;
    if (!playhead.go(event.number + 1, { us: playhead.history.timeOf(event.number + 1), from: "why" })) {
      this.went = playhead.position;
      return;
    }
    this.explain(event);
    this.follow();
  }

  /** @param {LifeEvent} event */
  explain({ number: place, us }) {
    const [row] = this.playhead.history.rowsBefore(place + 1, 1);
    // A transition without a sentence of its own is a step of files: then the moment's own reason stands.
    const explained = row && narrate(row.t).text !== row.t.kind;
    // Only the start's line in the narrative has the number of messages that were lost.
    const start = this.playhead.timeline.lines.find((line) => line.number === place && line.t.kind === "QueueStarted");
    const known = { target: null, moment: momentOf(this.playhead.state) };
    this.panels.why.pin(start ?? (explained ? lineOf(place, us, row.t, known) : null));
  }

  /** A lane that is folded opens around the message. */
  follow() {
    const { view, zoom } = this.stage;
    const { scene, queue } = view;
    const { life } = this;
    const spot = scene && queue && life ? spotOf(scene, queue, life.seq) : null;
    if (!spot || (!spot.lane.plan.folded && !view.zoom)) return;
    const { lane, index } = spot;
    const from = Math.max(0, Math.min(lane.count - AROUND, index - Math.floor(AROUND / 2)));
    zoom.set(lane.count > AROUND ? { lane: lane.name, from, count: AROUND } : null);
  }

  /**
   * Take its life on one page away.
   * @param {"svg" | "png"} kind
   */
  async poster(kind) {
    const { life } = this;
    const loaded = life && (await this.atNeed());
    if (!loaded) return;
    const title = fill(gettext("The life of message %(seq)s of %(queue)s"), { seq: number(life.seq), queue: life.queue });
    await loaded.savePicture(new loaded.LifeSheet(posterOf(life), title), kind, `waterline-message-${life.seq}`);
  }
}
