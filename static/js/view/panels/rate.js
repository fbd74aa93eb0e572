/** The rate of a publisher or a consumer: pulled to the side, or set by arrows. */
import { settingOf } from "../../model/clients.js";
import { nextRate, pulledRate } from "../../model/routes.js";
import { fill, gettext, ngettext, number } from "../../model/text.js";
import { carry } from "../base/carry.js";
import { el, setText } from "../base/dom.js";

/**
 * @import { Client } from "../../model/clients.js"
 * @import { CommandSender } from "../base/command-sender.js"
 */

const MOST = 100_000;

export class Rate {
  /**
   * `client()` is what it belongs to as it is now; `sender` sends commands.
   * @param {string} name
   * @param {() => Client | undefined} client
   * @param {CommandSender} sender
   */
  constructor(name, client, sender) {
    this.client = client;
    this.sender = sender;
    this.element = el("span.rate", {
      role: "slider",
      tabindex: "0",
      "aria-label": fill(gettext("Messages per second of %(name)s"), { name }),
      "aria-valuemin": "1",
      title: gettext("Pull it to the side, or press the arrows"),
    });
    /** @type {number | null} the rate to which it is being pulled */
    this.pulled = null;
    this.element.addEventListener("keydown", (event) => this.key(event));
    carry(this.element, {
      pick: () => this.client()?.rate_per_s ?? null,
      move: (rate, _event, { dx }) => this.pull(pulledRate(rate, dx, this.most)),
      drop: (_rate, event) => this.release(event !== null),
    });
  }

  get most() {
    return this.sender.limits.max_rate_per_s ?? MOST;
  }

  /** @param {number} rate */
  pull(rate) {
    this.pulled = rate;
    this.element.classList.add("is-held");
    this.write(rate);
  }

  /** @param {boolean} done */
  release(done) {
    const rate = this.pulled;
    this.pulled = null;
    this.element.classList.remove("is-held");
    if (done && rate) this.set(rate);
    this.update();
  }

  /** @param {number} rate */
  set(rate) {
    const client = this.client();
    if (client && rate !== client.rate_per_s) this.sender.send(settingOf(client, { rate_per_s: rate }));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const now = this.client()?.rate_per_s;
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!now || (!by && event.key !== "Home")) return;
    event.preventDefault();
    event.stopPropagation();
    this.set(by ? nextRate(now, by, this.most) : 1);
  }

  update() {
    const rate = this.client()?.rate_per_s;
    this.element.hidden = !rate;
    if (rate && !this.pulled) this.write(rate);
  }

  /** @param {number} rate */
  write(rate) {
    setText(this.element, fill(gettext("%(n)s/s"), { n: number(rate) }));
    const values = { "aria-valuenow": rate, "aria-valuemax": this.most, "aria-valuetext": fill(ngettext("%(n)s message a second", "%(n)s messages a second", rate), { n: number(rate) }) };
    for (const [name, value] of Object.entries(values)) if (this.element.getAttribute(name) !== String(value)) this.element.setAttribute(name, String(value));
  }
}
