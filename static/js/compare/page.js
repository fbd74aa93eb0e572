/** The comparison's page: waits for the reel, then plays both runs on one clock. */
import "../generations/all.js";
import { decode } from "../model/catalogue/rows.js";
import { situation } from "../model/situation.js";
import { clock, fill, gettext, messageOf, seconds } from "../model/text.js";
import { explain, sentenceOf } from "../model/why.js";
import { differingFields, laneDifferences } from "./differences.js";
import { onResize, placeOf, sizeOf } from "../view/base/canvas.js";
import { around, dataOf, el, find, findAll, need, setText, show } from "../view/base/dom.js";
import { watchColors } from "../view/base/colors.js";
import { ruleLink } from "../view/base/rule-link.js";
import { act, draw } from "../view/base/scheduler.js";
import { StageView } from "../view/stage/stage.js";
import { paintCurve } from "./curve.js";
import { answerOf, figureLines } from "./figures.js";
import { Lockstep, runOf } from "./lockstep.js";

/**
 * @import { FrameMessage, SnapshotMessage, TransitionRow } from "../model/catalogue/types.js"
 * @import { Playhead } from "../model/playhead.js"
 * @import { Figure, FigureLabel } from "./figures.js"
 */

/**
 * Runs as the server sends them: their messages, figures at the end, curves, and the first moment at which each differs from A.
 * @typedef {{ messages: (FrameMessage | SnapshotMessage)[], figures: Record<string, Figure>, curves: Record<string, number[]> }} Side
 * @typedef {{ at_us: number, a: TransitionRow | null, b: TransitionRow | null }} Divergence
 * @typedef {{ until_us: number, divergences: (Divergence | null)[], sides: Side[] }} Reel
 */

/** @typedef {Record<string, () => void>} Acts what the buttons of the page do, by their names */

const RETRY_MS = 700;
const STEPS = 1000;
/** @type {Record<string, string>} which button a key stands for */
const KEYS = { " ": "play", ArrowLeft: "back", ArrowRight: "on", d: "parting", D: "parting" };

/**
 * Request the reel until it is made; a busy server answers with the time after which to try again.
 * @param {string} address
 * @param {(share: number) => void} waiting
 * @returns {Promise<Reel>}
 */
async function reelFrom(address, waiting) {
  for (;;) {
    const answer = await fetch(address, { headers: { Accept: "application/json" } });
    const body = await answer.json();
    if (answer.status === 200) return body;
    if (body.problem) throw new Error(body.problem);
    waiting(body.share ?? 0);
    const again_ms = 1000 * Number(answer.headers.get("Retry-After")) || RETRY_MS;
    await new Promise((resolve) => {
      setTimeout(resolve, again_ms);
    });
  }
}

class Page {
  /**
   * @param {HTMLElement} root
   * @param {Reel} reel
   * @param {FigureLabel[]} labels
   * @param {string[]} names of the sides: their releases, or letters
   */
  constructor(root, reel, labels, names) {
    this.root = root;
    this.reel = reel;
    this.names = names;
    this.lockstep = new Lockstep(
      reel.sides.map((side) => runOf(side.messages)),
      reel.until_us,
    );
    for (const part of findAll("[data-coming]", root)) part.removeAttribute("data-coming");
    this.sides = this.lockstep.runs.map((run, at) => this.side(run, at));
    this.curve = need("[data-canvas=curve]", HTMLCanvasElement, root);
    this.slider = need("[data-slider]", HTMLInputElement, root);
    this.series = need("[data-series]", HTMLSelectElement, root);
    onResize(this.curve, () => this.paintCurve());
    this.parting();
    this.figures(labels);
    this.listen();
    // What plays by itself begins at its beginning; else the page opens where the runs part.
    this.lockstep.go(root.hasAttribute("data-running") ? 0 : (this.first?.at_us ?? 0));
    this.update();
  }

  /**
   * @param {Playhead} run
   * @param {number} at
   */
  side(run, at) {
    const root = need(`[data-side="${at}"]`, this.root);
    const stage = new StageView(need("[data-canvas=stage]", HTMLCanvasElement, root), run);
    run.listen((change) => stage.update(change));
    return { run, root, stage };
  }

  listen() {
    const { lockstep } = this;
    /** @type {Acts} */
    const acts = {
      play: () => this.toggle(),
      back: () => lockstep.event(-1),
      on: () => lockstep.event(1),
      parting: () => this.goToParting(),
    };
    for (const button of findAll("[data-act]", this.root))
      button.addEventListener("click", () => {
        acts[dataOf(button, "act")]?.();
        this.update();
      });
    this.slider.addEventListener("input", () => {
      lockstep.playing = false;
      lockstep.go((Number(this.slider.value) / STEPS) * lockstep.untilUs);
      this.update();
    });
    const speed = need("[data-speed]", HTMLSelectElement, this.root);
    speed.addEventListener("change", () => {
      lockstep.speed = Number(speed.value);
    });
    this.series.addEventListener("change", () => this.paintCurve());
    this.curve.addEventListener("pointerdown", (event) => {
      lockstep.go((Math.max(0, placeOf(event).x - 8) / (sizeOf(this.curve).width - 16)) * lockstep.untilUs);
      this.update();
    });
    document.addEventListener("keydown", (event) => this.key(event, acts));
    watchColors(() => {
      for (const { stage } of this.sides) stage.refresh({ instant: true });
      this.paintCurve();
    });
  }

  /**
   * @param {KeyboardEvent} event
   * @param {Acts} acts
   */
  key(event, acts) {
    if (around(event, "input, select, textarea, button, a") && event.key !== "d") return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const name = KEYS[event.key];
    if (!name) return;
    event.preventDefault();
    acts[name]();
    this.update();
  }

  toggle() {
    this.lockstep.toggle();
    if (this.lockstep.playing) act("compare", (now) => this.tick(now));
  }

  /** @param {number} now */
  tick(now) {
    const goesOn = this.lockstep.tick(now);
    this.update();
    if (goesOn) act("compare", (next) => this.tick(next));
  }

  /** Where the first of the runs leaves A, or null. */
  get first() {
    const found = this.reel.divergences.filter((each) => each !== null);
    return found.length ? found.reduce((a, b) => (b.at_us < a.at_us ? b : a)) : null;
  }

  goToParting() {
    const { first } = this;
    if (first) this.lockstep.go(first.at_us);
  }

  update() {
    const { lockstep } = this;
    setText(find("[data-act=play]", this.root), lockstep.playing ? gettext("Pause") : gettext("Play"));
    setText(find("[data-clock]", this.root), clock(lockstep.us));
    this.slider.value = String(Math.round((lockstep.us / Math.max(1, lockstep.untilUs)) * STEPS));
    this.slider.setAttribute("aria-valuetext", fill(gettext("%(s)s seconds"), { s: seconds(lockstep.us, 2) }));
    for (const { run, root } of this.sides) {
      setText(find("[data-situation]", root), situation(run.state).text);
      const lines = run.behind ? run.reasons().lines : [];
      const last = lines.filter((line) => !line.detail).at(-1);
      setText(find("[data-last]", root), last ? sentenceOf(last).text : "\u00a0");
    }
    this.between();
    this.paintCurve();
  }

  paintCurve() {
    draw("curve", () => paintCurve(this.curve, this.lockstep, this.series.value, this.reel.sides, this.names, this.first?.at_us ?? null));
  }

  parting() {
    const { first } = this;
    const list = need("[data-parting]", this.root);
    show(find("[data-act=parting]", this.root), Boolean(first));
    if (first)
      setText(
        find("[data-parting-at]", this.root),
        fill(gettext("at %(s)s s of virtual time"), { s: seconds(first.at_us) }),
      );
    this.reel.divergences.forEach((divergence, at) => this.partingOf(list, this.names[at + 1], divergence));
  }

  /**
   * How one of the runs leaves A; with several others, below a heading of its own.
   * @param {HTMLElement} place
   * @param {string} other
   * @param {Divergence | null} divergence
   */
  partingOf(place, other, divergence) {
    const several = this.reel.sides.length > 2;
    const list = el("dl", {});
    const when = divergence && fill(gettext("at %(s)s s of virtual time"), { s: seconds(divergence.at_us) });
    const [first] = this.names;
    const heading = several ? el("h3", {}, `${first}, ${other} `, when ? el("small", {}, when) : null) : null;
    place.append(el("div", {}, heading, list));
    if (!divergence) {
      list.append(el("dd.is-whole", {}, gettext("They never differ: the engine does the same in both.")));
      return;
    }
    for (const [name, row] of /** @type {[string, TransitionRow | null][]} */ ([[first, divergence.a], [other, divergence.b]]))
      list.append(el("dt", {}, name), el("dd", {}, ...this.reason(row)));
    const [left, right] = [divergence.a, divergence.b].map((row) => row && decode(row));
    const fields = differingFields(left, right);
    if (left && right && !fields.length && explain(left).title === explain(right).title)
      list.append(el("dd.mid.is-whole", {}, gettext("Both take the same step; the difference shows in their files or settings.")));
    if (fields.length)
      list.append(
        el("dt", { "aria-hidden": "true" }, "\u2260"),
        el(
          "dd",
          {},
          el(
            "table.compare-fields-differ",
            {},
            el("thead", {}, el("tr", {}, ...[gettext("What differs"), first, other].map((text) => el("th", { scope: "col" }, text)))),
            el(
              "tbody",
              {},
              ...fields.map(({ name, a, b }) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, a), el("td", {}, b))),
            ),
          ),
        ),
      );
  }

  /** What each of the others has more or less of than A, lane by lane. */
  between() {
    const [a, ...others] = this.lockstep.runs.map((run) => run.state);
    findAll("[data-between]", this.root).forEach((place, at) => {
      const lanes = laneDifferences(a, others[at]);
      const apart = lanes.filter(({ same }) => !same);
      const alike = el("span.chip", {}, gettext("all lanes alike"));
      // Of several, those that differ alone, so that all others stay in view as well.
      const shown = others.length === 1 ? lanes : apart;
      place.replaceChildren(
        ...shown.map(({ lane, text, same }) => el(same ? "span.chip" : "span.chip.is-sel", {}, `${lane} `, el("b", {}, text))),
        ...(shown.length ? [] : [alike]),
      );
    });
  }

  /** @param {TransitionRow | null} row */
  reason(row) {
    if (!row) return [gettext("does nothing at this moment.")];
    const why = explain(decode(row));
    return [why.title, " ", ruleLink(why.rule), why.reason ? el("p.mid", {}, why.reason) : null];
  }

  /** @param {FigureLabel[]} labels */
  figures(labels) {
    const body = need("[data-figures]", this.root);
    const sides = this.reel.sides.map((side) => side.figures);
    const lines = figureLines(labels, sides);
    setText(find("[data-answer]", this.root), answerOf(lines, this.names));
    for (const line of lines)
      body.append(
        el(
          line.differs ? "tr" : "tr.dim",
          {},
          el("th", { scope: "row" }, line.label),
          ...line.values.map((value) => el("td", {}, value)),
          sides.length === 2 ? el("td", {}, line.change, line.verdict ? el("small", {}, ` ${line.verdict}`) : null) : null,
        ),
      );
  }
}

/** @param {HTMLElement} root */
async function start(root) {
  const data = JSON.parse(need("#compare-data").textContent);
  const waits = need("[data-waits]", root);
  try {
    const reel = await reelFrom(data.reel, (share) => {
      need("[data-progress]", HTMLProgressElement, root).value = share;
    });
    show(waits, false);
    const page = new Page(root, reel, data.figures, data.names);
    // The first page's example runs by itself, unless the reader prefers reduced motion.
    if (root.hasAttribute("data-running") && !matchMedia("(prefers-reduced-motion: reduce)").matches) page.toggle();
  } catch (error) {
    for (const part of findAll("[data-coming]", root)) part.remove();
    waits.textContent = messageOf(error) || gettext("The comparison could not be loaded. Reload the page.");
    waits.classList.add("error");
    waits.setAttribute("role", "alert");
  }
}

start(need("#compare"));
