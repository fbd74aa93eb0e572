/** The first page: a real session runs on a small stage. It is requested by this script, so readers without one make none. */
import "../generations/usual.js";
import { BEATS, Beats, beatOf, captionOf, causeOf, endOfMoment } from "../model/followed.js";
import { Playhead } from "../model/playhead.js";
import { Session } from "../model/session.js";
import { Selection } from "../model/selection.js";
import { shownQueue } from "../model/shown.js";
import { situation } from "../model/situation.js";
import { lengthOf } from "../model/messages.js";
import { stageLanesOf } from "../model/places.js";
import { figures, memoryOf } from "../model/facts.js";
import { bytes, clock, fill, gettext, messageOf } from "../model/text.js";
import { following, socketAddress, Transport } from "../net/transport.js";
import { csrfToken, dataOf, find, findAll, need, setText, show, throttle } from "../view/base/dom.js";
import { watchColors } from "../view/base/colors.js";
import { StageView } from "../view/stage/stage.js";

/**
 * @import { NoticeMessage, RunSnapshot, WelcomeMessage } from "../model/catalogue/types.js"
 * @import { Beat } from "../model/followed.js"
 */

const PANEL_MS = 150;
/** How long a beat of the story stands, so that its sentence can be read. */
const STANDS_MS = 3400;
const BURST = { do: "publish", count: 12, size_bytes: 6000, persistent: false, confirm: false };

/**
 * Memory against the line from which contents leave RAM, in a few words.
 * @param {RunSnapshot} state
 */
function gaugeWords(state) {
  const { used, pagingAt, past } = memoryOf(state);
  if (pagingAt === null) return fill(gettext("RAM %(used)s"), { used: bytes(used) });
  const text = past ? gettext("RAM %(used)s, %(rest)s over the line of %(line)s") : gettext("RAM %(used)s, %(rest)s below the line of %(line)s");
  return fill(text, { used: bytes(used), rest: bytes(Math.abs(used - pagingAt)), line: bytes(pagingAt) });
}

class Demo {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {Transport | null} */
    this.transport = null;
    this.session = new Session();
    this.playhead = new Playhead(this.session);
    /** @type {StageView | null} */
    this.stage = null;
    /** @type {number | null} where the demo ends; null for a run of the reader's own */
    this.lasts = null;
    this.followed = Number(dataOf(root, "followed"));
    /** The beats of the followed message's story, and whether one of them is held for the reader. */
    this.beats = new Beats(this.followed);
    this.held = false;
    /** Whether the story was told to its end. */
    this.told = false;
    /** @type {Partial<Record<Beat, number>>} the positions of the beats that have come: where the scrubber's stops lead */
    this.stops = {};
    this.timer = 0;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    /** @param {string} name */
    this.part = (name) => need(`[data-demo-${name}]`, root);
    this.panels = throttle(PANEL_MS, () => this.fillPanels());
    this.part("play").addEventListener("click", () => this.toggle());
    this.part("publish").addEventListener("click", () => this.publish());
    this.part("again").addEventListener("click", () => this.open(true));
    this.part("open").addEventListener("click", () => this.open(false));
    this.part("next").addEventListener("click", () => this.goOn());
    this.scrubber = need("[data-demo-beats]", HTMLInputElement, root);
    this.scrubber.addEventListener("input", () => this.scrub());
    watchColors(() => this.stage?.refresh());
  }

  /** Request this browser's session, and watch it; `again` for a new one that starts from the beginning. */
  async open(again = false) {
    this.transport?.close();
    this.lasts = null;
    this.wait(gettext("The engine starts …"));
    const body = new URLSearchParams();
    if (again) body.set("again", "1");
    const token = csrfToken();
    try {
      const headers = { "X-CSRFToken": token, Accept: "application/json" };
      const answer = await fetch(dataOf(this.root, "demo"), { method: "POST", headers, body });
      const opened = await answer.json();
      if (!answer.ok) throw new Error(opened.error);
      this.watch(opened);
    } catch (error) {
      this.fail(error instanceof SyntaxError || error instanceof TypeError ? "" : messageOf(error));
    }
  }

  /** @param {{ session: string, websocket: string, url: string }} opened */
  watch({ session, websocket, url }) {
    this.session = new Session();
    this.playhead = new Playhead(this.session);
    this.canvas();
    this.beats = new Beats(this.followed);
    this.stops = {};
    this.told = false;
    this.release();
    this.session.watch((_, at, state) => this.beat(at, state));
    for (const link of findAll("a[data-own-browser]", this.root)) link.setAttribute("href", `${dataOf(this.root, "browser")}?s=${session}`);
    need("[data-demo-link]", HTMLAnchorElement, this.root).href = url;
    show(this.part("link"), true);
    this.session.listen((change) => {
      if (change.kind === "snapshot" && this.missed()) this.open(true);
      if (change.rows || change.kind === "snapshot") this.stage?.update(change);
      this.panels();
    });
    this.session.watchTime(() => setText(this.part("clock"), clock(this.playhead.nowUs)));
    const listeners = following(this.session, {
      welcome: (message) => this.welcome(message),
      notice: (message) => this.notice(message),
      status: (name) => this.status(name),
    });
    this.transport = new Transport(socketAddress(websocket), listeners);
    this.transport.connect();
  }

  /** A canvas of its own for each run, so that nothing of the one before listens to it. */
  canvas() {
    const before = need("canvas", HTMLCanvasElement, this.root);
    const canvas = /** @type {HTMLCanvasElement} */ (before.cloneNode());
    before.replaceWith(canvas);
    const selection = new Selection();
    selection.choose(this.followed);
    this.stage = new StageView(canvas, this.playhead, selection);
    this.playhead.listen((move) => this.stage?.update(move));
  }

  /**
   * A beat of the story may have come; it is held unless another one still is.
   * @param {number} at the transition that made it
   * @param {RunSnapshot} state
   */
  beat(at, state) {
    if (this.lasts === null) return;
    this.beats.saw(at, state);
    if (!this.held) this.holdNext();
  }

  /** Hold the next beat that has come, and return whether there is one: the page stands at its moment, and the engine waits. */
  holdNext() {
    const at = this.beats.next();
    if (at === null) return false;
    this.held = true;
    this.transport?.send({ t: "control", play: false });
    queueMicrotask(() => {
      const { history, next } = this.session;
      const position = endOfMoment(at, Math.min(next, this.beats.waiting[0] ?? next), history);
      this.playhead.go(position, { us: history.timeOf(position) });
      const beat = beatOf(this.playhead.state, this.followed)?.beat;
      if (beat) this.stops[beat] = position;
      this.fillPanels();
    });
    if (this.calm.matches) show(this.part("next"), true);
    else this.timer = setTimeout(() => this.goOn(), STANDS_MS);
    return true;
  }

  /** The reader drags the scrubber: the stage stands at that beat, or at the last one that has come, until the reader plays on. */
  scrub() {
    const wanted = Number(this.scrubber.value);
    this.stand(BEATS.filter((beat, at) => at <= wanted && this.stops[beat] !== undefined).pop());
  }

  /**
   * Stand at a beat that has come.
   * @param {Beat | undefined} beat
   */
  stand(beat) {
    const position = beat && this.stops[beat];
    if (position === undefined) return this.fillPanels();
    clearTimeout(this.timer);
    this.timer = 0;
    this.held = true;
    show(this.part("next"), false);
    this.transport?.send({ t: "control", play: false });
    this.playhead.go(position, { us: this.session.history.timeOf(position) });
    this.fillPanels();
  }

  /** The story is told: the page rests at the beat whose picture holds most, with messages in the most lanes. */
  rest() {
    this.told = true;
    /** @param {Beat} beat */
    const lanes = (beat) => {
      const { queue } = figures(/** @type {RunSnapshot} */ (this.session.history.stateAt(/** @type {number} */ (this.stops[beat]))));
      return stageLanesOf(queue).filter((lane) => lengthOf(queue, lane)).length;
    };
    this.stand(BEATS.filter((beat) => this.stops[beat] !== undefined).reduce((best, beat) => (lanes(beat) > lanes(best) ? beat : best)));
  }

  /** Whether a returning reader comes too late for the story: its message came while nobody watched. */
  missed() {
    return this.lasts !== null && !this.beats.reached && figures(this.session.state).next > this.followed;
  }

  /** Let go of the beat that is held; time stands as it does. */
  release() {
    clearTimeout(this.timer);
    this.held = false;
    show(this.part("next"), false);
    this.playhead.now();
  }

  /** The story plays on: to a beat that came meanwhile, else with the engine. */
  goOn() {
    clearTimeout(this.timer);
    if (this.stops.consumer !== undefined && !this.told) return this.rest();
    if (this.holdNext()) return;
    this.release();
    this.transport?.send({ t: "control", play: true });
  }

  /** @param {WelcomeMessage} message */
  welcome({ lasts_us: lasts }) {
    this.lasts = lasts;
    show(this.part("again"), lasts === null);
    // A returning reader's session plays on, as at the first visit.
    if (lasts !== null) this.transport?.send({ t: "control", play: true });
  }

  /** @param {NoticeMessage} notice */
  notice({ level, message }) {
    if (level === "error") this.fail(message);
  }

  /** @param {string} name */
  status(name) {
    const live = name === "live";
    show(this.part("veil"), !live);
    for (const control of ["play", "publish"]) need(`[data-demo-${control}]`, HTMLButtonElement, this.root).disabled = !live;
    if (name === "connecting" && this.part("full").hidden) this.wait(gettext("The engine starts …"));
    const full = name === "lost" && Boolean(this.transport?.full);
    if (name === "lost" && !full) this.wait(gettext("The connection to the engine is lost. The page tries again by itself."));
    if (name !== "connecting") show(this.part("full"), full); // why has been said by a notice
    if (name === "ended") this.fail(gettext("This session is over. Start a new one to go on."));
  }

  /** @param {string} text */
  wait(text) {
    setText(this.part("text"), text);
    show(this.part("veil"), true);
    show(this.part("open"), false);
  }

  /** @param {string} message */
  fail(message) {
    this.wait(message || gettext("The engine did not answer. Nothing is lost: try again in a moment."));
    show(this.part("open"), true);
  }

  toggle() {
    if (this.over()) this.open(true);
    else if (this.held && this.timer) {
      clearTimeout(this.timer);
      this.timer = 0;
      this.fillPanels();
    } else if (this.held) this.goOn();
    else this.transport?.send({ t: "control", play: !this.session.play });
  }

  /** Something of one's own: the recorded course of the demo ends with it. */
  async publish() {
    const { transport } = this;
    if (!transport) return; // its button is off until the session is live
    try {
      this.lasts = null;
      this.release();
      await transport.command(BURST);
      if (!this.session.play) transport.send({ t: "control", play: true });
    } catch (error) {
      setText(this.part("cause"), messageOf(error));
    }
  }

  /** Whether the run has come to its end. */
  over() {
    return this.lasts !== null && this.session.knownUs >= this.lasts;
  }

  fillPanels() {
    if (this.over() && !this.held && this.stops.consumer !== undefined) return this.rest();
    const { session } = this;
    const { state } = this.playhead;
    const name = shownQueue(state);
    const msgNo = name === null ? null : session.numbers.numberOf(name, this.followed);
    const now = this.lasts === null ? situation(state) : captionOf(state, this.followed, msgNo);
    const caption = need("[data-situation]", this.root);
    const cause = this.lasts === null ? null : causeOf(state, this.followed);
    const heading = this.part("cause");
    setText(heading, cause ?? now.text);
    heading.dataset.tone = now.tone;
    setText(caption, cause === null ? "" : now.text);
    setText(this.part("gauge"), gaugeWords(state));
    const beat = beatOf(state, this.followed)?.beat;
    this.scrubber.disabled = this.stops.alpha === undefined;
    this.scrubber.value = String(beat ? BEATS.indexOf(beat) : this.stops.consumer === undefined ? 0 : BEATS.length - 1);
    this.scrubber.setAttribute("aria-valuetext", now.text);
    for (const item of findAll(".legend [data-state]", this.root)) {
      item.classList.toggle("is-ahead", this.stops[/** @type {Beat} */ (item.dataset.state)] === undefined);
      if (item.dataset.state === beat) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
    }
    setText(this.part("clock"), clock(this.playhead.nowUs));
    show(this.part("again"), this.over() || this.lasts === null);
    const playing = session.play || (this.held && this.timer !== 0);
    const label = playing ? gettext("Pause") : gettext("Play");
    const play = this.part("play");
    play.classList.toggle("is-playing", playing);
    if (play.getAttribute("aria-label") !== label) play.setAttribute("aria-label", label);
    play.title = label;
    const chip = this.part("state");
    show(chip, true);
    chip.dataset.state = playing ? "live" : "paused";
    setText(
      chip.lastElementChild,
      playing ? gettext("engine live") : this.over() ? gettext("at its end") : gettext("paused"),
    );
  }
}

const root = find("#demo");
if (root) {
  const demo = new Demo(root);
  addEventListener("pagehide", () => demo.transport?.close());
  // A page that came back from the browser's cache has no socket any more.
  addEventListener("pageshow", (event) => event.persisted && demo.open());
  demo.open();
}
