/**
 * Before a restart, a kill or a power cut: time stands, the engine computes what the stop would leave, the reader guesses, and
 * each glyph shows it. Only then does the card offer the stop. After it: where the lost messages were, and what came of it.
 */
import { countsOf, fateOfStart, foundBy, hadOf } from "../../model/fate.js";
import { outcomeText, reasonsOf } from "../../model/fate-words.js";
import { endsRestart } from "../../model/restarted.js";
import { shownQueue } from "../../model/shown.js";
import { fill, gettext, ngettext, number } from "../../model/text.js";
import { dataOf, find, findAll, focused, need, setText, show } from "../base/dom.js";
import { act } from "../base/scheduler.js";
import { Fates } from "../stage/fates.js";

/**
 * @import { QueueSnapshot, Transition, Values } from "../../model/catalogue/types.js"
 * @import { Fate } from "../../model/fate.js"
 * @import { Numbered } from "../../model/stretches.js"
 * @import { Live } from "../base/live.js"
 * @import { StageView } from "../stage/stage.js"
 */

/** @type {Record<string, { title: () => string, act: () => string }>} */
const WORDS = {
  clean: { title: () => gettext("If the node restarts now"), act: () => gettext("Restart now") },
  kill: { title: () => gettext("If the node is killed now"), act: () => gettext("Kill now") },
  power: { title: () => gettext("If the power is cut now"), act: () => gettext("Pull the plug now") },
};

/**
 * The steps of the card, and which of its parts each shows: one question, its answer, the stop, and what came of it.
 * @type {Record<"waits" | "asks" | "answers" | "unknown" | "stops" | "ended", string[]>}
 */
const STEPS = { waits: [], asks: ["guess"], answers: ["counts", "last"], unknown: ["last"], stops: [], ended: ["counts"] };

export class Theatre {
  /**
   * `root` is the card; `live` has the run; `stage` draws the fates; `send(command)` gives commands.
   * @param {HTMLElement} root
   * @param {Live} live
   * @param {StageView} stage
   * @param {(command: Values) => Promise<unknown>} send
   */
  constructor(root, { session, engine, data }, stage, send) {
    this.root = root;
    this.session = session;
    this.engine = engine;
    this.url = data.urls.survival;
    this.stage = stage;
    stage.fates = new Fates();
    this.send = send;
    this.kind = "clean";
    /** @type {Record<string, Fate> | null} what a stop would leave of each queue */
    this.fates = null;
    /** @type {number | null} the reader's guess of how many messages would be lost */
    this.guess = null;
    /** @type {object | null} the question that waits for its answer */
    this.request = null;
    /** @type {{ queue: string, before: QueueSnapshot, entries: Numbered[] | null, ended: boolean } | null} the stop that goes on */
    this.watched = null;
    /** @type {string | null} the queue whose last start is all that happened to its messages since */
    this.stopped = null;
    /** @type {Record<string, () => unknown>} */
    const acts = { leave: () => this.leave(), cut: () => this.cut(), tell: () => this.fates && this.showFates(this.fates) };
    for (const button of findAll("[data-theatre-act]", root))
      button.addEventListener("click", () => acts[dataOf(button, "theatreAct")]());
    need("[data-theatre-guess]", root).addEventListener("submit", (/** @type {SubmitEvent} */ event) => this.guessed(event));
    root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.leave();
    });
    session.watch((t) => this.observe(t));
  }

  /** Nodes of a cluster, a queue that is not there and a page without a server have no theatre: they stop at once. */
  get plays() {
    const { state } = this.session;
    return Boolean(this.url) && Object.keys(state.node.cluster ?? {}).length === 0 && shownQueue(state) !== null;
  }

  /**
   * Show what a stop of this kind would leave.
   * @param {string} kind
   */
  async open(kind) {
    if (!this.plays) return this.send({ do: "restart", kind });
    this.opener = focused();
    this.kind = kind;
    this.fates = null;
    this.guess = null;
    this.resumes = this.session.play;
    if (this.resumes) this.engine.control({ play: false });
    setText(find("[data-theatre-title]", this.root), WORDS[kind].title());
    setText(find("[data-theatre-text]", this.root), gettext("A copy of the run is stopped to see what is left \u2026"));
    setText(find("[data-theatre-act=cut]", this.root), WORDS[kind].act());
    this.step("waits");
    show(this.root, true);
    this.root.focus({ preventScroll: true });
    const request = (this.request = {});
    const { fates, error } = await this.requestFates(kind);
    if (request !== this.request) return undefined;
    this.fates = fates ?? null;
    if (this.fate && hadOf(this.fate)) this.openGuess(hadOf(this.fate));
    else if (this.fate && fates) this.showFates(fates);
    else {
      this.step("unknown");
      setText(find("[data-theatre-text]", this.root), error || gettext("What would be left is not known now."));
    }
    return undefined;
  }

  /**
   * @param {string} kind
   * @returns {Promise<{ fates?: Record<string, Fate>, error?: string }>}
   */
  async requestFates(kind) {
    try {
      const answer = await fetch(`${this.url}?${new URLSearchParams({ kind })}`, { headers: { accept: "application/json" } });
      const body = await answer.json();
      return answer.ok ? { fates: body } : { error: body.error };
    } catch {
      return { error: "" };
    }
  }

  /** The fate of the queue that is shown. */
  get fate() {
    const queue = shownQueue(this.session.state);
    return queue === null ? null : (this.fates?.[queue] ?? null);
  }

  /** @param {Record<string, Fate>} fates */
  showFates(fates) {
    this.fates = fates;
    if (!this.fate) return;
    const counts = countsOf(this.fate);
    this.counts(counts, reasonsOf(this.fate));
    this.step("answers");
    setText(find("[data-theatre-text]", this.root), hadOf(this.fate) ? this.verdict(counts) : gettext("The queue has no messages, so none can be lost."));
    this.stage.showFates(this.fate);
    this.root.focus({ preventScroll: true });
  }

  /**
   * @param {ReturnType<typeof countsOf>} counts
   * @param {Record<string, string[]>} reasons
   */
  counts(counts, reasons) {
    for (const kind of /** @type {const} */ (["kept", "lost", "back"])) {
      setText(find(`[data-fate=${kind}]`, this.root), number(counts[kind]));
      if (reasons[kind]) setText(find(`[data-fate-why=${kind}]`, this.root), reasons[kind].join(" \u00b7 "));
    }
  }

  /** @param {{ lost: number }} counts */
  verdict({ lost }) {
    if (this.guess === null) return gettext("Each message shows what would become of it.");
    const values = { guess: number(this.guess), lost: number(lost) };
    return this.guess === lost
      ? fill(gettext("You said %(guess)s, and that is right."), values)
      : fill(gettext("You said %(guess)s; %(lost)s would be lost."), values);
  }

  /**
   * The reader guesses first: nothing is shown until then, or until it is asked for.
   * @param {number} had how many messages the queue has
   */
  openGuess(had) {
    this.stage.showFates(null);
    this.step("asks");
    const question = ngettext("Will the %(n)s message be lost: 1 or 0?", "How many of the %(n)s messages will be lost?", had);
    setText(find("[data-theatre-question]", this.root), fill(question, { n: number(had) }));
    setText(find("[data-theatre-text]", this.root), gettext("Nothing is stopped yet. Look at what is in RAM, on disk, and not yet fsynced."));
    need("[name=lost]", this.root).focus();
  }

  /** @param {SubmitEvent} event */
  guessed(event) {
    event.preventDefault();
    const input = need("[name=lost]", HTMLInputElement, this.root);
    if (!/^\d{1,9}$/.test(input.value.trim())) {
      input.setAttribute("aria-invalid", "true");
      return;
    }
    input.removeAttribute("aria-invalid");
    this.guess = Number(input.value);
    if (this.fates) this.showFates(this.fates);
  }

  /** Stop the node now. */
  async cut() {
    const { state } = this.session;
    const queue = shownQueue(state);
    this.watched = queue === null ? null : { queue, before: structuredClone(state.queues[queue]), entries: null, ended: false };
    this.stage.cutFates(this.fate);
    this.step("stops");
    await this.send({ do: "restart", kind: this.kind });
    if (this.resumes) this.engine.control({ play: true });
    if (!this.watched?.ended) this.close();
  }

  /**
   * What really came back, from the recovery's own words.
   * @param {Transition} t
   */
  observe(t) {
    const { watched } = this;
    if (this.stopped !== null && "queue" in t && t.queue === this.stopped && endsRestart(t)) this.forget();
    if (!watched || !("queue" in t) || t.queue !== watched.queue) return;
    watched.entries ??= foundBy(t);
    if (t.kind !== "QueueStarted" || watched.ended) return;
    watched.ended = true;
    this.stopped = t.queue;
    const fate = fateOfStart({ queue: watched.before, entries: watched.entries ?? [] }, t.values.len ?? 0);
    this.counts(countsOf(fate), reasonsOf(fate));
    setText(find("[data-theatre-title]", this.root), outcomeText(fate));
    const outlined = this.stage.fates?.lost ? gettext("Dashed outlines show where the lost messages were, until the queue goes on.") : "";
    setText(find("[data-theatre-text]", this.root), outlined);
    this.step("ended");
  }

  /** @param {keyof typeof STEPS} step */
  step(step) {
    for (const part of ["guess", "counts", "last"]) show(find(`[data-theatre-${part}]`, this.root), STEPS[step].includes(part));
    act(this, () => this.uncover());
  }

  /** On a phone the card lies over the foot of the stage, where the next messages are: move them above it. */
  uncover() {
    if (this.root.hidden) return;
    const covered = this.stage.canvas.getBoundingClientRect().bottom - this.root.getBoundingClientRect().top;
    if (covered > 0) scrollBy({ top: covered, behavior: "instant" });
  }

  /** Something else happened to the messages: what was lost has no outline any more. */
  forget() {
    this.stopped = null;
    this.stage.cutFates(null);
  }

  /** Nothing is stopped; time goes on as before. */
  leave() {
    if (this.resumes && !this.watched) this.engine.control({ play: true });
    this.close();
  }

  close() {
    this.request = null;
    this.watched = null;
    this.stage.showFates(null);
    show(this.root, false);
    this.opener?.focus?.({ preventScroll: true });
  }
}
