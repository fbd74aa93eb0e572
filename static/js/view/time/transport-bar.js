/** Play, step, speed, the clock, the number of the transition, the digest, sharing. View and pace only. */
import { clock, fill, gettext, number } from "../../model/text.js";
import { find, findAll, need, setText } from "../base/dom.js";
import { act } from "../base/scheduler.js";

/**
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Engine } from "../../net/engine.js"
 * @import { Alerts } from "../base/alerts.js"
 */

export class TransportBar {
  /**
   * @param {HTMLElement} root
   * @param {Playhead} playhead
   * @param {Engine} engine
   * @param {Alerts} alerts
   */
  constructor(root, playhead, engine, alerts) {
    const { session } = playhead;
    this.root = root;
    this.session = session;
    this.playhead = playhead;
    this.engine = engine;
    this.alerts = alerts;
    this.play = need("[data-act=play]", root);
    this.play.addEventListener("click", () => this.toggle());
    need("[data-act=step]", root).addEventListener("click", () => this.step());
    this.back = need("[data-act=back]", root);
    this.back.addEventListener("click", () => this.playhead.back());
    for (const button of findAll("[data-speed]", root))
      button.addEventListener("click", () => this.speed(Number(button.dataset.speed)));
    this.clock = find("[data-clock]", root);
    session.watchTime(() => act("clock", () => this.showTime()));
    find("[data-digest]", root)?.addEventListener("click", () => this.copyDigest());
  }

  /** Let time pass, or not. A reader who lets it pass is taken to the present. */
  toggle() {
    if (!this.session.play) this.playhead.now();
    this.engine.control({ play: !this.session.play });
  }

  /** One transition on: through the past, or from the engine. */
  step() {
    if (this.playhead.forward()) return;
    this.engine.step();
  }

  /** @param {number} value */
  speed(value) {
    this.engine.control({ speed: value });
  }

  /**
   * The speed at place 1 to 4 of the bar.
   * @param {number} place
   */
  pick(place) {
    findAll("[data-speed]", this.root)[place - 1]?.click();
  }

  showTime() {
    setText(this.clock, clock(this.playhead.nowUs));
  }

  update() {
    const { session, playhead } = this;
    this.showTime();
    const text = playhead.behind ? gettext("transition %(n)s of %(all)s") : gettext("transition %(n)s");
    const numbers = { n: number(playhead.position), all: number(session.next) };
    setText(find("[data-number]", this.root), fill(text, numbers));
    setText(find("[data-digest-text]", this.root), (session.digest || "").slice(0, 8));
    this.back.setAttribute("aria-disabled", String(playhead.position <= playhead.history.start));
    const label = session.play ? gettext("Pause (Space)") : gettext("Play (Space)");
    if (this.play.getAttribute("aria-label") !== label) {
      this.play.setAttribute("aria-label", label);
      this.play.title = label;
      this.play.classList.toggle("is-playing", session.play);
    }
    for (const button of findAll("[data-speed]", this.root)) {
      button.setAttribute(
        "aria-pressed",
        String(Math.abs(Number(button.dataset.speed) - session.speed) < 1e-6),
      );
    }
  }

  copyDigest() {
    navigator.clipboard
      ?.writeText(this.session.digest || "")
      .then(() =>
        this.alerts.flash(gettext("Digest copied. The same commands give the same digest on every machine.")),
      );
  }
}
