/** A small stage beside a text: it plays what led to one moment, and stands there. One button plays it again, or stops it. */
import { portionsOf } from "../../model/lead.js";
import { Playhead } from "../../model/playhead.js";
import { Session } from "../../model/session.js";
import { situation } from "../../model/situation.js";
import { clock, gettext } from "../../model/text.js";
import { watchColors } from "../base/colors.js";
import { dataOf, need, setText } from "../base/dom.js";
import { StageView } from "./stage.js";

/**
 * @import { Portion } from "../../model/lead.js"
 * @import { FrameMessage, SnapshotMessage } from "../../model/catalogue/types.js"
 */

/** So long a figure plays; a reader who looks at one sentence waits no longer. */
const LASTS_MS = 6000;
const MOST_PORTIONS = 48;

export class Figure {
  /** @param {HTMLElement} root with `data-lead`, the address of what leads to the moment */
  constructor(root) {
    this.root = root;
    this.session = new Session();
    this.playhead = new Playhead(this.session);
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.button = need("button", HTMLButtonElement, root);
    this.timer = 0;
    this.done = 0;
    /** @type {Portion[]} */
    this.portions = [];
    /** @type {SnapshotMessage | null} null until it was asked for and came */
    this.start = null;
    this.asked = false;
    this.button.addEventListener("click", () => (this.timer ? this.stop() : this.play()));
  }

  /** It has come into view: play it, or show its moment to whoever wants nothing to move. */
  async seen() {
    if (!this.asked && !(await this.load())) return;
    if (!this.start || this.timer || this.over) return;
    if (this.calm.matches) this.end();
    else this.play();
  }

  /** Fetch what leads to the moment; whether it came. */
  async load() {
    this.asked = true;
    try {
      const answer = await fetch(dataOf(this.root, "lead"), { headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(String(answer.status));
      /** @type {[SnapshotMessage, FrameMessage]} */
      const [start, frame] = await answer.json();
      this.start = start;
      this.portions = portionsOf(frame, MOST_PORTIONS);
    } catch {
      this.asked = false; // it is tried again when it comes into view again
      this.write(gettext("The figure cannot be played now. The link opens the run."));
      return false;
    }
    const stage = new StageView(need("canvas", HTMLCanvasElement, this.root), this.playhead);
    watchColors(() => stage.refresh());
    this.session.listen((change) => stage.update(change));
    this.rewind();
    this.button.disabled = false;
    return true;
  }

  get over() {
    return this.done > 0 && this.done === this.portions.length;
  }

  rewind() {
    if (this.start) this.session.snapshot(this.start);
    this.done = 0;
  }

  play() {
    if (this.over || !this.portions.length) this.rewind();
    clearInterval(this.timer);
    this.timer = setInterval(() => this.step(), LASTS_MS / MOST_PORTIONS);
    this.tell();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.tell();
  }

  /** One step on; the last one is the moment. */
  step() {
    const portion = this.portions[this.done];
    if (portion) {
      this.done += 1;
      this.session.frame(portion);
    }
    if (this.over || !portion) this.stop();
    else this.tell();
  }

  /** Go to the moment at once. */
  end() {
    for (const portion of this.portions.slice(this.done)) this.session.frame(portion);
    this.done = this.portions.length;
    this.tell();
  }

  tell() {
    this.write(situation(this.playhead.state).text);
    setText(need("[data-figure=clock]", this.root), clock(this.session.knownUs));
    const label = this.timer ? gettext("Pause") : this.over ? gettext("Play again") : gettext("Play");
    if (this.button.textContent !== label) this.button.textContent = label;
  }

  /** @param {string} text */
  write(text) {
    setText(need("[data-figure=text]", this.root), text);
  }
}
