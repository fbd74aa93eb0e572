/** The first paging of a session, slowly: contents take longer to sink, the rest is dim, and one sentence says why. Once, and again when asked. */
import { memoryOf } from "../../model/facts.js";
import { bytes, fill, gettext } from "../../model/text.js";
import { CALM_SPEED } from "../base/scheduler.js";
import { need, setText, show } from "../base/dom.js";

/**
 * @import { RunSnapshot } from "../../model/catalogue/types.js"
 * @import { Live } from "../base/live.js"
 * @import { StageView } from "../stage/stage.js"
 */

const STANDS_MS = 3200;
const SLOWER = 4;
/** How long the moment before stands when it is shown again. */
const BEFORE_MS = 700;
const KEY = "waterline.first-paging";

export class FirstPaging {
  /**
   * @param {Live} live
   * @param {StageView} view
   */
  constructor({ root, session, playhead }, view) {
    this.view = view;
    this.playhead = playhead;
    this.note = need("[data-first-paging]", root);
    /** @type {number | null} the transition by which the first contents left RAM */
    this.at = null;
    this.timer = 0;
    session.watch((t, at, state) => t.kind === "AlphasPushed" && this.at === null && this.saw(at, state));
  }

  /**
   * @param {number} at
   * @param {RunSnapshot} state
   */
  saw(at, state) {
    this.at = at;
    const { play, speed, behind } = this.playhead;
    const led = document.documentElement.classList.contains("touring");
    if (!play || behind || led || speed > CALM_SPEED || !memoryOf(state).past || seenBefore()) return;
    this.tell(state);
  }

  /** @param {RunSnapshot} state */
  tell(state) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    setText(this.note, fill(gettext("Memory passed %(line)s, so the newest contents sink; their indexes stay in RAM."), { line: bytes(memoryOf(state).pagingAt) }));
    show(this.note, true);
    if (!calm) this.view.slower = SLOWER;
    document.documentElement.classList.toggle("first-paging", !calm);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), STANDS_MS);
  }

  end() {
    this.view.slower = 1;
    show(this.note, false);
    document.documentElement.classList.remove("first-paging");
  }

  /** Whether there is something to show again. */
  get happened() {
    return this.at !== null;
  }

  /** Show it again: the moment before, and what happened at it. */
  again() {
    const { at, playhead } = this;
    if (at === null || !playhead.go(at)) return;
    const us = playhead.history.timeOf(at + 1);
    const after = us === null ? at + 1 : playhead.history.positionAt(us);
    setTimeout(() => {
      this.tell(playhead.state);
      playhead.go(after, { us });
    }, BEFORE_MS);
  }
}

/** Whether this session has shown it in this window; it is noted that it has now. */
function seenBefore() {
  try {
    const seen = sessionStorage.getItem(KEY) === location.pathname;
    sessionStorage.setItem(KEY, location.pathname);
    return seen;
  } catch {
    return false;
  }
}
