/** Commands that are given on the picture itself: refused with a reason where nothing can be changed, and announced. */
import { gettext, messageOf } from "../../model/text.js";

/**
 * @import { Values } from "../../model/catalogue/types.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Engine } from "../../net/engine.js"
 * @import { Alerts } from "./alerts.js"
 */

export class CommandSender {
  /**
   * @param {Playhead} playhead
   * @param {Engine} engine
   * @param {Alerts} alerts
   */
  constructor(playhead, engine, alerts, refusal = () => "") {
    this.playhead = playhead;
    this.engine = engine;
    this.alerts = alerts;
    this.refusal = refusal;
    /** Whether the session belongs to this reader; the server's welcome sets it. */
    this.owner = true;
    /** @type {Record<string, number>} the host's, by name */
    this.limits = {};
  }

  /**
   * Take over from the server's welcome whose session it is, and its limits.
   * @param {{ owner?: boolean, limits?: Record<string, number> }} message
   */
  welcome({ owner = true, limits = {} }) {
    this.owner = owner;
    this.limits = limits;
  }

  /** Why nothing can be changed now, or nothing. */
  get why() {
    if (this.refusal()) return this.refusal();
    if (document.body.classList.contains("is-held")) return gettext("The run waits for your answer. Once you have given it, you can change the run.");
    if (!this.owner) return gettext("You watch somebody else's session. Share it to get one of your own.");
    if (this.playhead.behind) return gettext("This is a moment of the past. Go back to now (End) to change something.");
    if (!this.engine.live) return gettext("The engine is not connected. The page tries again by itself.");
    return "";
  }

  /** Whether something may be changed; if not, the reason is shown. */
  may() {
    const { why } = this;
    if (why) this.alerts.flash(why);
    return !why;
  }

  /**
   * Send a command and announce its effect; returns whether it was accepted.
   * @param {Values} command
   */
  async send(command, done = "") {
    if (!this.may()) return false;
    try {
      await this.engine.command(command);
      if (done) this.alerts.flash(done);
      return true;
    } catch (error) {
      this.alerts.flash(messageOf(error));
      return false;
    }
  }
}
