/** The story panel: the question before the run, the notes on the way, and the verdict. */
import { Story } from "../../model/story.js";
import { fill, gettext, seconds } from "../../model/text.js";
import { pieces } from "../../model/words.js";
import { el, find, need, setText, show } from "../base/dom.js";
import { spotlight } from "../base/spotlight.js";
import { ruleLink } from "../base/rule-link.js";

/**
 * @import { RunSnapshot, Values } from "../../model/catalogue/types.js"
 * @import { Stop } from "../../model/story.js"
 * @import { Live } from "../base/live.js"
 */

/** @type {Record<string, [sign: string, word: () => string]>} */
const VERDICTS = {
  true: ["\u2713", () => gettext("true")],
  false: ["\u2717", () => gettext("false")],
  depends: ["\u2248", () => gettext("it depends")],
};

export class StoryPanel {
  /**
   * @param {HTMLElement} root
   * @param {Live} live
   */
  constructor(root, { data, playhead, engine, selection }) {
    this.root = root;
    this.playhead = playhead;
    this.engine = engine;
    this.selection = selection;
    this.session = playhead.session;
    this.story = new Story(data.story, data.scenario.until_us, data.place?.at_us);
    /** @type {string | null} */
    this.rendered = null;
    this.atUs = 0;
    /** Whether the locked answer has still to be sent to the server. */
    this.owed = false;
    this.remember(data.predicted);
    engine.mend = (message) => this.mend(message);
    this.session.watch((t, number, state) => this.watch(state));
    this.session.listen(() => this.follow());
    playhead.listen(() => this.update());
    need("[data-story=on]", root).addEventListener("click", () => this.goOn());
    need("[data-story=back]", root).addEventListener("click", () => this.back());
    need("[data-story=hide]", root).addEventListener("click", () => this.hide());
    this.update();
  }

  /**
   * What a wish to let time pass becomes; a prediction that is owed is pointed at.
   * @param {Values} message
   */
  mend(message) {
    if (this.root.hidden) return message;
    const mended = this.story.mend(message, this.session.knownUs);
    if (mended && this.owed) this.lock();
    if (!mended) {
      this.playhead.now();
      find("[data-story=body] button", this.root)?.focus();
      this.root.classList.remove("calls");
      requestAnimationFrame(() => this.root.classList.add("calls"));
    }
    return mended;
  }

  /** @param {RunSnapshot} state */
  watch(state) {
    if (this.root.hidden || !this.story.waiting.length) return;
    if (this.story.watch(this.session.knownUs, state)) this.engine.control({ play: false });
  }

  follow() {
    this.story.observe(this.session.knownUs, this.session.state);
    this.update();
  }

  goOn() {
    this.playhead.now();
    this.engine.control({ play: true });
  }

  back() {
    const before = this.story.stops.filter((stop) => stop.atUs < this.playhead.knownUs && stop.atUs > 0);
    const stop = before[before.length - 1];
    if (!stop || !this.playhead.toTime(stop.atUs)) this.playhead.home();
  }

  /** A reader may go on without an answer. */
  hide() {
    const { story } = this;
    if (story.prediction && story.chosen === null && !story.skipped) this.skip();
    show(this.root, false);
    this.root.parentElement?.classList.remove("has-story");
    find("[data-act=play]")?.focus();
  }

  /** Show what belongs to the moment that is shown. */
  update() {
    const { story, playhead } = this;
    const { knownUs: nowUs } = playhead;
    const stop = story.current(nowUs);
    const passed = story.stops.filter((each) => each.atUs <= nowUs).length;
    setText(
      find("[data-story=step]", this.root),
      fill(gettext("%(n)s of %(all)s"), { n: passed, all: story.stops.length }),
    );
    const locked = story.locked(this.session.knownUs);
    const over = story.next(this.session.knownUs) === null && this.session.knownUs >= story.untilUs;
    const on = need("[data-story=on]", HTMLButtonElement, this.root);
    on.disabled = locked || this.session.play || over;
    setText(on, nowUs === 0 ? gettext("Begin") : gettext("Go on"));
    need("[data-story=back]", HTMLButtonElement, this.root).disabled = nowUs === 0;
    const ended = over && nowUs >= story.untilUs;
    const mark = [ended, stop?.atUs, story.chosen, story.skipped, story.right, locked, stop?.notes.length, story.articlesAt(nowUs).length].join();
    if (mark === this.rendered) return;
    this.rendered = mark;
    this.render(stop, locked, ended);
  }

  /**
   * @param {Stop | null} stop
   * @param {boolean} locked
   * @param {boolean} ended
   */
  render(stop, locked, ended) {
    const body = need("[data-story=body]", this.root);
    this.marked = new Set();
    const parts = stop ? this.partsOf(stop, ended) : [];
    if (!stop || (stop.atUs === 0 && !stop.notes.length)) parts.unshift(this.intro());
    if (locked && !stop?.question) parts.push(this.questionShown());
    if (ended && !stop) parts.push(this.ending());
    parts.unshift(this.articles());
    body.replaceChildren(...parts.filter((part) => part !== null));
    body.scrollTop = 0;
    for (const { view, msg } of stop?.notes ?? []) {
      if (view) spotlight(view);
      if (msg !== undefined) this.selection.choose(msg);
    }
  }

  /** What the articles say of the moment that the reader came to see, and whether it is so. */
  articles() {
    const rows = this.story.articlesAt(this.playhead.knownUs);
    const items = rows.map(({ claim, verdict }) => {
      const [sign, word] = VERDICTS[verdict];
      return el("p", {}, el("span.chip.verdict-word", {}, `${sign} ${word()}`), " ", el("q", {}, claim));
    });
    return rows.length ? el("div.story-articles", {}, el("p.dim", {}, gettext("What the articles say of this moment:")), ...items) : null;
  }

  /** The run is over: what it was, and what comes next. */
  ending() {
    const { story } = this;
    const { next } = story.content;
    const parts = [
      fill(gettext("That was the run: %(stops)s moments in %(s)s s."), {
        stops: story.stops.length,
        s: seconds(story.untilUs, 1),
      }),
    ];
    if (story.chosen !== null && story.right !== null)
      parts.push(story.chosen === story.right ? gettext("You predicted it.") : gettext("It went differently from what you predicted."));
    parts.push(gettext("Drag the time line to see any moment again, or change something and go on."));
    return el(
      "div.story-end",
      {},
      el("p", {}, parts.join(" ")),
      next && el("a.btn.small.primary", { href: next.href, rel: "nofollow" }, fill(gettext("Next: %(title)s"), { title: next.title })),
    );
  }

  intro() {
    const { question, watch_for: watch } = this.story.content;
    return el("div.story-note", {}, question && el("p.lead", {}, ...this.words(question)), watch && el("p", {}, ...this.words(watch)));
  }

  /**
   * A text whose words of the glossary are links to their meaning, each where it first comes in the panel.
   * @param {string} text
   */
  words(text) {
    /**
     * @param {string} anchor
     * @param {string} word
     */
    const link = (anchor, word) => el("a.term", { href: `${this.story.content.glossary}#${anchor}`, target: "_blank", "data-term": anchor }, word);
    return pieces(text, this.story.content.words, this.marked).map((each) => (each.anchor ? link(each.anchor, each.text) : each.text));
  }

  /**
   * The notes of a stop; when the run is over its end takes their place.
   * @param {Stop} stop
   * @param {boolean} ended
   */
  partsOf(stop, ended) {
    const notes = stop.notes.flatMap(({ text }) =>
      text ? [el("p.story-note", {}, el("b.time", {}, `${seconds(stop.atUs, 2)} s`), " ", ...this.words(text))] : [],
    );
    return [
      ...(ended && stop.atUs < this.story.untilUs ? [] : notes),
      ended ? this.ending() : null,
      stop.question || (stop.answer && this.story.right !== null) ? this.questionShown() : null,
      stop.verdict ? this.verdict() : null,
    ];
  }

  /** The prediction: to be locked, locked, or compared with what happened. */
  questionShown() {
    const { story } = this;
    const { prediction, chosen, right } = story;
    const open = story.locked(this.session.knownUs);
    const decided = right !== null && this.playhead.knownUs >= prediction.at_us;
    const options = prediction.options.map((/** @type {Values} */ option, /** @type {number} */ at) => this.option(option, at, open, decided));
    return el(
      "div.story-ask",
      { role: "group", "aria-label": gettext("Your prediction") },
      el("p.lead", {}, ...this.words(prediction.question)),
      el("div.options", {}, ...options),
      open && el("button.btn.ghost.small", { type: "button", onclick: () => this.skip() }, gettext("Skip")),
      !open && !decided && chosen !== null && el("p.dim", {}, gettext("Locked. The run will tell.")),
      decided && el("p.outcome", { role: "status" }, ...this.words(this.outcome(chosen, right))),
    );
  }

  /**
   * @param {Values} option
   * @param {number} at
   * @param {boolean} open
   * @param {boolean} decided
   */
  option(option, at, open, decided) {
    const { chosen, right } = this.story;
    const states = [];
    if (chosen === at) states.push("chosen");
    if (decided && right === at) states.push("right");
    if (decided && chosen === at && right !== at) states.push("wrong");
    const sign = decided && right === at ? "\u2713 " : decided && chosen === at ? "\u2717 " : "";
    return el(
      `button.btn.option${states.map((name) => `.is-${name}`).join("")}`,
      {
        type: "button",
        "aria-pressed": String(chosen === at),
        disabled: !open,
        onclick: () => this.choose(at),
      },
      sign + option.text,
    );
  }

  /**
   * @param {number | null} chosen
   * @param {number} right
   */
  outcome(chosen, right) {
    const { options, because } = this.story.prediction;
    const was = right >= 0 ? options[right].text : gettext("none of these");
    let text = fill(gettext("What happened: %(was)s."), { was });
    if (chosen !== null && chosen === right) text = gettext("As you predicted.");
    else if (chosen !== null)
      text = fill(gettext("You predicted: %(guess)s. What happened: %(was)s."), {
        guess: options[chosen].text,
        was,
      });
    return because ? `${text} ${because}` : text;
  }

  /** @param {number} at */
  choose(at) {
    if (!this.story.choose(at, this.session.knownUs)) return;
    this.lock();
    this.update();
    need("[data-story=on]", this.root).focus();
  }

  skip() {
    this.story.skip();
    this.lock();
    this.update();
    need("[data-story=on]", this.root).focus();
  }

  verdict() {
    const { verdict } = this.story.content;
    const [sign, word] = VERDICTS[verdict.verdict];
    return el(
      `div.story-verdict.is-${verdict.verdict}`,
      {},
      el("p", {}, el("span.chip.verdict-word", {}, `${sign} ${word()}`), " ", el("q", {}, verdict.claim)),
      el(
        "p",
        {},
        ...this.words(verdict.text),
        " ",
        el("span.dim", {}, `RabbitMQ ${verdict.version ?? "3.10.8"}`),
        ...(verdict.rules ?? []).flatMap((/** @type {string} */ rule) => [" ", ruleLink(rule)]),
      ),
      el(
        "button.btn.ghost.small",
        { type: "button", onclick: () => this.playhead.toTime(verdict.evidence_at_us) },
        fill(gettext("the moment that shows it: %(at)s s"), { at: seconds(verdict.evidence_at_us, 2) }),
      ),
    );
  }

  /** Send it to the server, which waits for it. Where it cannot be reached, it is sent again before the run goes on. */
  async lock() {
    this.owed = false;
    try {
      await this.engine.predict(this.story.chosen);
    } catch {
      this.owed = true;
    }
  }

  /**
   * A reload does not unlock a locked answer.
   * @param {number | null | undefined} predicted
   */
  remember(predicted) {
    if (predicted === null || predicted === undefined) return;
    if (predicted < 0) this.story.skipped = true;
    else this.story.chosen = predicted;
  }
}
