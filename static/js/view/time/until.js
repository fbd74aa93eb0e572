/** "Run until": which condition, go, and what came of it. */
import { BOUND_US, Until, conditionsOf } from "../../model/until.js";
import { fill, gettext } from "../../model/text.js";
import { el, need, show } from "../base/dom.js";

/**
 * @import { Values } from "../../model/catalogue/types.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Engine } from "../../net/engine.js"
 * @import { Past } from "../../net/past.js"
 * @import { Alerts } from "../base/alerts.js"
 */

export class UntilBar {
  /**
   * @param {HTMLElement} root
   * @param {Playhead} playhead
   * @param {Engine} engine
   * @param {Alerts} alerts
   * @param {Past} past
   */
  constructor(root, playhead, engine, alerts, past) {
    this.playhead = playhead;
    this.alerts = alerts;
    /** The texts of what is offered. */
    this.offered = "";
    this.select = need("[data-until]", HTMLSelectElement, root);
    this.button = need("[data-act=until]", root);
    this.number = need("[data-until-seq]", HTMLInputElement, root);
    this.update();
    this.until = new Until(
      playhead.session,
      ({ play }) => engine.control({ play }),
      (end) => this.ended(end),
      (from, to) => past.fetchNext(from, to),
    );
    this.button.addEventListener("click", () => this.toggle());
    this.select.addEventListener("change", () => {
      this.until.cancel();
      show(this.number, Boolean(this.conditions[this.select.value].ofMessage));
    });
  }

  /** The conditions for the queue that is shown. */
  get conditions() {
    return conditionsOf(this.playhead.session.state);
  }

  /** Offer what can be waited for: it depends on the kind of queue. */
  update() {
    const options = Object.entries(this.conditions).map(([name, { text }]) => el("option", { value: name }, text()));
    const offered = options.map((each) => each.textContent).join();
    if (offered === this.offered) return;
    this.offered = offered;
    const { value } = this.select;
    this.select.replaceChildren(...options);
    if (value) this.select.value = value;
  }

  toggle() {
    if (this.until.name) {
      this.until.cancel();
      return;
    }
    const name = this.select.value;
    const seq = this.conditions[name].ofMessage ? this.number.valueAsNumber : null;
    if (Number.isNaN(seq)) {
      this.number.focus();
      return;
    }
    this.playhead.now();
    this.until.start(name, seq);
    const texts = { what: this.conditions[name].text(), s: BOUND_US / 1e6 };
    this.alerts.show("until", "info", fill(gettext("Running until: %(what)s. If that does not happen within %(s)s s of the run, the run pauses and says so."), texts));
    this.show();
  }

  show() {
    const waits = this.until.name !== null;
    this.button.setAttribute("aria-pressed", String(waits));
  }

  /** @param {Values} given */
  ended({ name, how, position }) {
    this.show();
    if (position !== null) this.playhead.go(position);
    const texts = { what: this.conditions[name].text(), s: BOUND_US / 1e6 };
    /** @type {Record<string, string>} */
    const ways = {
      reached: gettext("Reached: %(what)s. The run is paused, and this is that moment."),
      fast: gettext("Reached: %(what)s, among transitions too fast to show. The run is paused."),
      stopped: gettext("The run stopped before: %(what)s."),
      bound: gettext("Not reached within %(s)s s of the run: %(what)s. The run is paused."),
    };
    if (ways[how]) this.alerts.show("until", "info", fill(ways[how], texts));
  }
}
