/** A film for slides: the stage of a stretch of the run, picture by picture, as an animated GIF. */
import { PICTURE, filmOf, momentOf, sheetOf } from "../../model/film.js";
import { fill, gettext, messageOf } from "../../model/text.js";
import { colors } from "../base/colors.js";
import { find, need, required, setText } from "../base/dom.js";
import { save } from "../base/save.js";
import { Gif } from "./gif.js";

/**
 * @import { Live } from "../base/live.js"
 * @import { StageSheet } from "./stage-sheet.js"
 */

/** Resolves when the page has been drawn once more. */
function drawn() {
  return new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done, 0));
  });
}

export class Film {
  /**
   * `form` has the fields of the stretch; `sheet` gives what paints the picture that is shown now.
   * @param {HTMLFormElement} form
   * @param {Live} live
   * @param {() => StageSheet} sheet
   */
  constructor(form, { playhead, engine }, sheet) {
    this.form = form;
    this.playhead = playhead;
    this.engine = engine;
    this.sheet = sheet;
    this.stopped = true;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.stopped) this.record();
      else this.stopped = true;
    });
    form.addEventListener("toggle", () => this.propose(), true);
  }

  /** @param {string} name */
  field(name) {
    return need(`[name=${name}]`, HTMLInputElement, this.form);
  }

  /** The run so far, as long as it lasted. */
  propose() {
    if (this.field("to").value) return;
    const [from, to] = [this.startUs / 1e6, this.playhead.session.nowUs / 1e6];
    const values = { from, to, lasts: Math.min(10, Math.max(1, to - from)) };
    for (const [name, value] of Object.entries(values)) this.field(name).value = value.toFixed(2);
  }

  get startUs() {
    const { history } = this.playhead;
    return history.timeOf(history.start) ?? 0;
  }

  /** @param {string} text */
  writeStatus(text) {
    setText(find("[role=status]", this.form), text);
  }

  async record() {
    const { playhead } = this;
    const [from, to, lasts] = ["from", "to", "lasts"].map((name) => Number.parseFloat(this.field(name).value));
    const film = filmOf({ from, to, lasts }, this.startUs, playhead.session.nowUs);
    if (!film) {
      this.writeStatus(gettext("Nothing of the run lies between these times."));
      return;
    }
    this.stopped = false;
    this.engine.control({ play: false });
    const before = playhead.behind ? playhead.nowUs : null;
    const button = need("button", this.form);
    const words = button.textContent;
    setText(button, gettext("Stop recording"));
    try {
      const blob = await this.shoot(film);
      save(blob, `waterline-${(film.fromUs / 1e6).toFixed(2)}-${(film.toUs / 1e6).toFixed(2)}s.gif`);
      this.writeStatus(gettext("The film is saved."));
    } catch (error) {
      this.writeStatus(fill(gettext("The film could not be recorded: %(error)s"), { error: messageOf(error) }));
    } finally {
      this.stopped = true;
      setText(button, words);
      if (before === null) playhead.now();
      else playhead.toTime(before);
    }
  }

  /**
   * Let the stretch pass on the stage, and keep each of its pictures; however long that takes, the film is as long as the form states.
   * @param {NonNullable<ReturnType<typeof filmOf>>} film
   */
  async shoot(film) {
    const sheet = this.sheet();
    const { width, height, scale } = sheetOf(sheet.width, sheet.height);
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const pen = required(canvas.getContext("2d", { willReadFrequently: true }), "what draws a film");
    const gif = new Gif(width, height);
    for (let at = 0; at < film.pictures && !this.stopped; at += 1) {
      this.playhead.toTime(momentOf(film, at));
      await drawn();
      // The stage may become smaller on the way: nothing of the picture before may be left.
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.fillStyle = colors.card;
      pen.fillRect(0, 0, width, height);
      pen.setTransform(scale, 0, 0, scale, 0, 0);
      sheet.paint(pen);
      gif.add(pen.getImageData(0, 0, width, height).data, PICTURE);
      this.writeStatus(fill(gettext("Recording: picture %(done)s of %(all)s"), { done: at + 1, all: film.pictures }));
    }
    return new Blob([gif.end()], { type: "image/gif" });
  }
}
