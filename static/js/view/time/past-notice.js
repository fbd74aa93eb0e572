/** A notice while a moment of the past is shown: which moment it is, where the run is, and the way back. */
import { clock, fill, gettext, ngettext, number } from "../../model/text.js";
import { find, need, setText, show, throttle } from "../base/dom.js";

/** @import { Playhead } from "../../model/playhead.js" */

const ANNOUNCE_MS = 900;

/**
 * Virtual time to a tenth of a second: 00:02.1.
 * @param {number} us
 */
function tenths(us) {
  return clock(us).slice(0, -2);
}

/**
 * Which moment is shown, in words.
 * @param {Playhead} playhead
 */
function momentText(playhead) {
  return fill(gettext("looking at %(shown)s, the run is at %(now)s"), {
    shown: tenths(playhead.nowUs),
    now: tenths(playhead.session.nowUs),
  });
}

/**
 * What is missing beside this moment, or nothing.
 * @param {{ before: number, after: number }} gaps
 */
function gapText({ before, after }) {
  const count = before || after;
  if (!count) return "";
  const text = before
    ? ngettext(
        "%(n)s transition before this was too fast to show; the state before and after is exact.",
        "%(n)s transitions before this were too fast to show; the state before and after is exact.",
        count,
      )
    : ngettext(
        "%(n)s transition after this was too fast to show; the state before and after is exact.",
        "%(n)s transitions after this were too fast to show; the state before and after is exact.",
        count,
      );
  return fill(text, { n: number(count) });
}

export class PastNotice {
  /**
   * @param {HTMLElement} root
   * @param {Playhead} playhead
   */
  constructor(root, playhead) {
    this.page = root;
    this.root = need("[data-moment]", root);
    this.playhead = playhead;
    need("[data-act=now]", this.root).addEventListener("click", () => {
      playhead.now();
      find("[data-act=back]", root)?.focus();
    });
    this.announce = throttle(ANNOUNCE_MS, () => setText(find("[data-moment-live]", root), this.announcement()));
  }

  /** The run went on, or another moment is shown. */
  update() {
    const { behind } = this.playhead;
    show(this.root, behind);
    this.page.classList.toggle("is-behind", behind);
    if (!behind) return;
    setText(find("[data-moment-text]", this.root), momentText(this.playhead));
    const gap = gapText(this.playhead.gaps);
    const place = find("[data-moment-gap]", this.root);
    setText(place, gap);
    show(place, gap !== "");
  }

  /** For screen readers, when another moment is shown; not each time the run goes on. */
  announcement() {
    if (!this.playhead.behind) return gettext("Back to now");
    return `${momentText(this.playhead)}. ${gapText(this.playhead.gaps)}`;
  }
}
