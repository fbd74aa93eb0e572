/** The guided tour: one step at a time on the real engine, what matters lit and the rest dim, left at any time. */
import { isMet, stepsOf } from "../../model/tour-steps.js";
import { fill, gettext, messageOf } from "../../model/text.js";
import { beside } from "../../layout/beside.js";
import { wide } from "../base/canvas.js";
import { el, find, findAll, focused, need, setText, show } from "../base/dom.js";

/**
 * @import { Values } from "../../model/catalogue/types.js"
 * @import { Live } from "../base/live.js"
 * @import { StageView } from "../stage/stage.js"
 */

const SPEED = 1;
const SLOW_MS = 6000;
const NARROW_PX = 720;
/** What a phone's dock takes, as in the style sheet. */
const DOCK_PX = 168;

export class Tour {
  /**
   * `stage` is what the steps point at; `engine` takes their commands.
   * @param {Live} live
   * @param {StageView} stage
   */
  constructor({ root, session, engine }, stage) {
    this.root = root;
    this.session = session;
    this.engine = engine;
    this.stage = stage;
    /** The steps of the tour, as they were when it began. */
    this.steps = stepsOf(session.state);
    /** @type {number | null} which step is shown */
    this.at = null;
    /** The furthest step that was shown, and when it was. */
    this.reached = -1;
    this.since = 0;
    /** What the engine has against the step's commands. */
    this.problem = "";
    /** Whether its commands are on their way, time stands for it, and it was brought into view. */
    this.sending = false;
    this.stands = false;
    this.scrolled = false;
    /** How large what is meant was when it was last moved out from under the card. */
    this.uncovered = "";
    /** @type {Set<string>} the kinds of transitions since the step began */
    this.seen = new Set();
    /**
     * @param {string} name
     * @param {() => unknown} act
     * @param {string} label
     */
    const button = (name, act, label) => el(name, { type: "button", onclick: act }, label);
    this.next = button("button.btn.primary", () => this.forward(), gettext("Next"));
    this.back = button("button.btn", () => this.walk(-1), gettext("Back"));
    const leave = button("button.btn.ghost", () => this.leave(), gettext("Leave the tour"));
    this.title = el("h2", { id: "tour-title" });
    this.text = el("p", { id: "tour-text" });
    this.state = el("p.tour-state", { role: "status" });
    this.count = el("span.dim");
    this.card = el(
      "section.tour.card",
      { role: "dialog", "aria-labelledby": "tour-title", "aria-describedby": "tour-text", tabindex: "-1" },
      el("div.heading", {}, this.title, el("span.spacer"), this.count),
      this.text,
      this.state,
      el("div.row", {}, leave, el("span.spacer"), this.back, this.next),
    );
    this.card.addEventListener("keydown", (event) => this.key(event));
    this.spot = el("div.spot", { "aria-hidden": "true", hidden: true });
    const follow = () => this.at !== null && this.place();
    stage.listen(follow); // once its lanes have their size
    for (const moved of ["scroll", "resize"]) addEventListener(moved, follow, { passive: true });
    session.watch(({ kind }) => this.at !== null && this.seen.add(kind));
    session.listen((change) => {
      for (const [kind, count] of Object.entries(change.skipped || {})) if (count) this.seen.add(kind);
      this.update();
    });
  }

  get step() {
    return this.at === null ? null : this.steps[this.at];
  }

  start() {
    if (this.at !== null) return;
    this.steps = stepsOf(this.session.state);
    this.before = focused();
    need(".stage-box", this.root).append(this.spot);
    document.body.append(this.card);
    document.documentElement.classList.add("touring");
    this.go(0);
    this.card.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    /** @type {Record<string, () => unknown>} */
    const acts = {
      Escape: () => this.leave(),
      ArrowRight: () => this.forward(),
      ArrowLeft: () => this.walk(-1),
    };
    const act = acts[event.key];
    if (!act && event.key !== "Enter") return;
    event.stopPropagation();
    if (event.key === "Enter" && event.target !== this.card) return;
    event.preventDefault();
    (act ?? (() => this.forward()))();
  }

  forward() {
    if (this.next.getAttribute("aria-disabled") === "true") return;
    if (this.at === this.steps.length - 1) this.leave();
    else this.walk(1);
  }

  /**
   * So many steps on; back with a negative number.
   * @param {number} by
   */
  walk(by) {
    const to = this.at === null ? -1 : this.at + by;
    if (to >= 0) this.go(to);
  }

  /**
   * Show a step; its commands are sent the first time that it is reached.
   * @param {number} at
   */
  async go(at) {
    const step = this.steps[at];
    const first = at > this.reached;
    this.at = at;
    this.reached = Math.max(at, this.reached);
    this.since = performance.now();
    this.problem = "";
    setText(this.title, step.title());
    setText(this.text, step.text(Boolean(this.stage.scene?.geo.turned)));
    setText(this.count, fill(gettext("%(n)s of %(all)s"), { n: at + 1, all: this.steps.length }));
    setText(this.next, at === this.steps.length - 1 ? gettext("Done") : gettext("Next"));
    show(this.back, at > 0);
    this.light(step.part);
    this.scrolled = false;
    this.stands = false;
    this.place();
    if (first) {
      this.seen.clear();
      this.sending = true;
      this.update();
      await this.run(step.commands || []);
      this.sending = false;
    }
    this.update();
  }

  /** What the step describes has happened: time stands while the reader reads. */
  stand() {
    this.stands = true;
    if (this.session.play) this.engine.control({ play: false });
  }

  /** @param {Values[]} commands */
  async run(commands) {
    if (!commands.length) return;
    try {
      for (const command of commands) await this.engine.command(command);
      this.engine.control({ play: true, speed: SPEED });
    } catch (error) {
      this.problem = messageOf(error);
    }
  }

  /**
   * Light what the step is about; the rest is dim, and out of reach until the tour is over.
   * @param {string} name
   */
  light(name) {
    const part = find(name === "dock" ? ".charts" : `.${name}`, this.root);
    for (const each of this.dimmable()) {
      const lit = each === part || each.contains(part);
      each.classList.toggle("is-lit", each === part);
      each.inert = !lit;
    }
    // On a phone the page moves further, away from under the card: not while it still glides here.
    const calm = innerWidth < NARROW_PX || matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (name === "why" && part) find("details", part)?.setAttribute("open", "");
    part?.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
  }

  /** The parts of the page; of the dock only the charts, since time must be able to pass. */
  dimmable() {
    return findAll(":scope > :not(.dock, .reasons, svg), .reasons > *, .dock > .charts", this.root);
  }

  /** Follow the engine: whether the step has happened, and where its lanes are now. */
  update() {
    const { at, step } = this;
    if (at === null || !step) return;
    const met = this.reached > at || (!this.sending && isMet(step, this.session.state, this.seen));
    if (this.next.getAttribute("aria-disabled") !== String(!met)) this.next.setAttribute("aria-disabled", String(!met));
    if (met && !this.stands) this.stand();
    const slow = performance.now() - this.since > SLOW_MS;
    const waiting = slow
      ? gettext("The engine has not reached this yet. Let time pass (Space), or leave the tour and try by hand.")
      : gettext("The engine is on its way there …");
    setText(this.state, this.problem || (met ? "" : waiting));
    this.place();
    // On a phone the lanes are below each other: the one that is meant is brought into view, once it has its size.
    if (!met || this.scrolled || !this.stage.scene?.geo.turned || this.spot.hidden) return;
    this.scrolled = true;
    this.spot.scrollIntoView({ block: "start" });
  }

  place() {
    this.placeSpot();
    this.placeCard();
  }

  /** The card stands beside what its step is about, and covers none of it; where no room is beside it, as on most phones, it stands above the dock. */
  placeCard() {
    const lit = find(".is-lit", this.root);
    const part = this.spot.hidden ? (lit && find(".stage-box", lit)) ?? lit : this.spot;
    const narrow = innerWidth < NARROW_PX;
    const foot = narrow ? innerHeight - DOCK_PX : innerHeight;
    const found = part && beside(part.getBoundingClientRect(), this.card.getBoundingClientRect(), innerWidth, foot);
    const style = found ? { left: `${Math.round(found.x)}px`, top: `${Math.round(found.y)}px`, right: "auto", bottom: "auto" } : { left: "", top: "", right: "", bottom: "" };
    Object.assign(this.card.style, style);
    if (narrow && part && (this.scrolled || this.spot.hidden)) this.uncover(part);
  }

  /**
   * On a phone what is meant grows and shrinks: whenever it does, the page moves it above the card, as far as it is in view.
   * @param {HTMLElement} part
   */
  uncover(part) {
    const [box, card] = [part.getBoundingClientRect(), this.card.getBoundingClientRect()];
    const sized = [this.at ?? 0, box.top + scrollY, box.height, card.height].map(Math.round).join();
    if (sized === this.uncovered) return;
    this.uncovered = sized;
    const covered = Math.min(box.bottom - card.top, box.top);
    if (covered > 0) scrollBy({ top: covered, behavior: "instant" });
  }

  placeSpot() {
    const { scene } = this.stage;
    const { step } = this;
    const lanes = (scene?.lanes ?? []).filter((lane) => step?.lanes?.includes(lane.name));
    show(this.spot, lanes.length > 0);
    if (!scene || !lanes.length) return;
    const from = Math.min(...lanes.map((lane) => Math.min(lane.u0, lane.head ?? lane.u0)));
    const to = Math.max(...lanes.map((lane) => lane.u1));
    const px = (/** @type {number} */ length) => `${length * wide()}px`;
    const style = scene.geo.turned
      ? { left: "0", right: "0", top: px(from), height: px(to - from), width: "auto", bottom: "auto" }
      : { top: "0", bottom: "0", left: px(from - 5), width: px(to - from + 10), right: "auto", height: "auto" };
    Object.assign(this.spot.style, style);
  }

  leave() {
    if (!this.session.play) this.engine.control({ play: true });
    this.at = null;
    this.reached = -1;
    document.documentElement.classList.remove("touring");
    for (const each of this.dimmable()) {
      each.classList.remove("is-lit");
      each.inert = false;
    }
    this.card.remove();
    this.spot.remove();
    this.before?.focus?.();
  }
}
