/** The header's chips and the veil over the stage: paging, alarm, and whether the engine is there. */
import { fill, gettext, number } from "../../model/text.js";
import { restarted } from "../../model/restarted.js";
import { figures } from "../../model/facts.js";
import { situation } from "../../model/situation.js";
import { find, need, setText, show } from "../base/dom.js";

/** @import { Playhead } from "../../model/playhead.js" */

const SLOW_MS = 1000;

/** @type {Record<string, () => string>} */
const LINKS = {
  live: () => gettext("engine live"),
  connecting: () => gettext("connecting"),
  opening: () => gettext("engine loading"),
  lost: () => gettext("engine lost"),
  ended: () => gettext("session over"),
};

export class Status {
  /**
   * @param {HTMLElement} root
   * @param {Playhead} session
   * @param {() => void} retry
   */
  constructor(root, session, retry) {
    this.root = root;
    this.session = session;
    this.chips = need("[data-status]", document);
    this.veil = need("[data-veil]", root);
    this.timer = 0;
    this.waiting = 0;
    need("[data-act=retry]", root).addEventListener("click", retry);
  }

  /**
   * The link changed: connecting, live, lost (tried again in `retryMs`, perhaps as the server is full) or ended.
   * @param {string} name
   * @param {number} [retryMs]
   */
  link(name, retryMs = 0, full = false) {
    clearInterval(this.timer);
    const chip = need("[data-link]", this.chips);
    chip.dataset.state = name;
    setText(find("span:last-child", chip), LINKS[name]?.());
    const offer = find("[data-when-full]", this.veil);
    // Once made it stays until the session is there: somebody may be on it while the page tries again.
    if (name === "lost" && full) show(offer, true);
    else if (name === "live" || name === "ended") show(offer, false);
    show(this.veil, name === "lost" || name === "ended" || (offer !== null && !offer.hidden));
    clearTimeout(this.waiting);
    if (name === "connecting") this.waiting = setTimeout(() => this.waitLong(), SLOW_MS);
    show(find("[data-act=retry]", this.veil), name === "lost");
    this.root.classList.toggle("is-lost", name === "lost" || name === "ended");
    if (name === "ended")
      setText(
        find("[data-veil-text]", this.veil),
        gettext("This session is over. Start a new one to go on."),
      );
    if (name === "lost") this.countDown(retryMs, full);
  }

  /** What takes more than a second is shown as under way. */
  waitLong() {
    setText(find("[data-veil-text]", this.veil), gettext("Connecting to the engine …"));
    show(this.veil, true);
  }

  /**
   * @param {number} retryMs
   * @param {boolean} full
   */
  countDown(retryMs, full) {
    const text = full
      ? gettext("The server has no place for this session now. Next try in %(s)s s.")
      : gettext("The connection to the engine is lost. Next try in %(s)s s.");
    const until = performance.now() + retryMs;
    const tick = () => {
      const left = Math.max(0, Math.ceil((until - performance.now()) / 1000));
      setText(
        find("[data-veil-text]", this.veil),
        fill(text, { s: left }),
      );
    };
    tick();
    this.timer = setInterval(tick, 1000);
  }

  /** The lines of what happened up to the moment that is shown. */
  linesSoFar() {
    const { at, timeline } = this.session;
    return at !== null ? timeline.lines.filter((line) => line.number < at) : timeline.lines;
  }

  update() {
    const { state } = this.session;
    const now = figures(state);
    const sentence = restarted(state, this.linesSoFar()) ?? situation(state);
    const caption = need("[data-situation]", this.root);
    const inviting = !now.ready && !now.unacked && !now.next && !this.session.behind;
    setText(caption, sentence.text);
    caption.dataset.tone = sentence.tone;
    show(find("[data-chip=paging]", this.chips), now.target !== null);
    setText(find("[data-chip=paging] span", this.chips), now.paging ? gettext("paging") : fill(gettext("target %(n)s"), { n: number(now.target) }));
    const alarm = now.alarms.memory || now.alarms.disk;
    show(find("[data-chip=alarm]", this.chips), Boolean(alarm));
    setText(
      find("[data-chip=alarm] span", this.chips),
      now.alarms.disk ? gettext("disk alarm") : gettext("memory alarm"),
    );
    show(find("[data-empty]", this.root), inviting);
    show(find("[data-skipped]", this.root), Boolean(this.session.skipped));
  }
}
