/** The first paging of a session, slowly, with one sentence; and again when asked. */
import { memoryOf } from "../../model/facts.js";
import { bytes, fill, gettext } from "../../model/text.js";
import { need, setText, show } from "../base/dom.js";

/**
 * @import { RunSnapshot } from "../../model/catalogue/types.js"
 * @import { Live } from "../base/live.js"
 * @import { StageView } from "../stage/stage.js"
 */

const STANDS_MS = 3200;
const BEFORE_MS = 700;
const { classList } = document.documentElement;

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
    session.watch((t, at, state) => {
      if (t.kind !== "AlphasPushed" || this.at !== null) return;
      this.at = at;
      if (playhead.play && playhead.speed <= 1 && memoryOf(state).past && !classList.contains("touring")) this.tell(state);
    });
  }

  /** @param {RunSnapshot} state */
  tell(state) {
    const calm = this.view.reduced.matches;
    setText(this.note, fill(gettext("Memory passed %(line)s, so the newest contents sink."), { line: bytes(memoryOf(state).pagingAt) }));
    show(this.note, true);
    this.view.slower = calm ? 1 : 4;
    classList.toggle("first-paging", !calm);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.view.slower = 1;
      show(this.note, false);
      classList.remove("first-paging");
    }, STANDS_MS);
  }

  /** The moment before, and then what happened at it. */
  again() {
    const { at, playhead } = this;
    if (at === null || !playhead.go(at)) return;
    const us = playhead.history.timeOf(at + 1) ?? 0;
    setTimeout(() => {
      this.tell(playhead.state);
      playhead.go(playhead.history.positionAt(us), { us });
    }, BEFORE_MS);
  }
}
