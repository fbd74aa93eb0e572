/** One message that is followed: found by its seq_id or its id, with its life so far as a strip of moments. */
import { EXTENT as E } from "../../model/catalogue/rows.js";
import { nextSeqOf } from "../../model/facts.js";
import { Life } from "../../model/life.js";
import { lifeText, lifeTone } from "../../model/life-words.js";
import { locate, pendingOf, readyOf, stateWords } from "../../model/messages.js";
import { aboutPlace } from "../../model/places.js";
import { shownQueue, shownState } from "../../model/shown.js";
import { clock, fill, gettext, number, seconds } from "../../model/text.js";
import { around, el, find, focused, need, setText, show } from "../base/dom.js";

/**
 * @import { RunSnapshot } from "../../model/catalogue/types.js"
 * @import { LifeEvent } from "../../model/life.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Selection } from "../../model/selection.js"
 */

/**
 * Where a message is; null where it is in no place, or where its queue was deleted.
 * @param {RunSnapshot} state
 * @param {string} name
 * @param {number} seq
 */
function placeIn(state, name, seq) {
  const queue = Object.hasOwn(state.queues, name) ? state.queues[name] : null;
  return queue && locate(queue, seq);
}

/** From so many messages on one is easier to name than to point at. */
const MANY = 50;

/**
 * How many messages the shown queue has, those with consumers included.
 * @param {Playhead} playhead
 */
const messagesIn = ({ state }) => readyOf(shownState(state)) + pendingOf(shownState(state));

export class Follow {
  /**
   * `selection` has the message that is followed; `warn(text)` writes what went wrong.
   * @param {HTMLElement} root
   * @param {Playhead} playhead
   * @param {Selection} selection
   * @param {(text: string) => void} warn
   */
  constructor(root, playhead, selection, warn) {
    this.root = root;
    this.playhead = playhead;
    this.selection = selection;
    this.warn = warn;
    this.strip = need("[data-life]", root);
    this.list = need("[data-life-list]", root);
    this.form = need("[data-form=find]", HTMLFormElement, root);
    this.field = need("[name=message]", HTMLInputElement, this.form);
    /** @type {Life | null} */
    this.life = null;
    /** @type {number | null} the message that is followed, and its queue */
    this.seq = null;
    /** @type {string | null} */
    this.queue = null;
    /** The run of which its life was read. */
    this.epoch = playhead.session.history.epoch;
    this.shown = "";
    this.form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      this.find(this.field.value);
    });
    this.form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") selection.choose(null);
    });
    need("[data-act=unfollow]", root).addEventListener("click", () => selection.choose(null));
    selection.listen((what) => what === "chosen" && this.follow(selection.chosen));
    this.list.addEventListener("click", (event) => this.click(event));
    const { session } = playhead;
    session.watch((t, at) => this.life?.observe(t, at, session.history.timeOf(at + 1) ?? session.nowUs));
    session.listen((change) => {
      if (change.kind === "snapshot" && change.why !== "join") this.life?.gap(session.next, session.knownUs);
      const past = change.kind === "past";
      if (this.life && (past || this.epoch !== session.history.epoch)) this.read();
      if (past) this.update();
    });
  }

  /**
   * Read the life of a message, from what is kept; null follows none.
   * @param {number | null} seq
   */
  follow(seq) {
    const { state } = this.playhead;
    this.seq = seq;
    this.queue = shownQueue(state);
    this.life = null;
    this.read();
    this.update();
  }

  /** Read its life as far as it is kept. */
  read() {
    const { session, state } = this.playhead;
    const { queue, seq } = this;
    this.epoch = session.history.epoch;
    if (queue === null || seq === null) return;
    const row = placeIn(session.state, queue, seq)?.row;
    const who = {
      queue,
      seq,
      msgNo: row ? row[E.msg_no] + seq - row[E.start] : session.numbers.numberOf(queue, seq),
      flags: row ? row[E.flags] : null,
    };
    this.life = Life.of(session.history, who, state.node.settings.segment_entry_count || 2048);
  }

  /** Go to the field in which a message can be named. */
  focus() {
    show(this.form, true);
    this.field.focus();
    this.field.select();
  }

  /**
   * Find the message of the typed text: a seq_id, or the sixteen bytes of an id.
   * @param {string} text
   */
  find(text) {
    const { state, numbers } = this.playhead.session;
    const queue = shownQueue(state);
    if (queue === null) {
      this.warn(gettext("There is no queue, so there is no message to follow."));
      return;
    }
    const typed = text.replace(/[\s,.]/g, "");
    if (/^[0-9a-f]{32}$/i.test(typed)) {
      const seq = numbers.seqOf(queue, Number.parseInt(typed.slice(16), 16));
      if (seq === null) this.warn(fill(gettext("No message of %(queue)s has this id."), { queue }));
      else this.selection.choose(seq);
    } else if (/^\d{1,15}$/.test(typed)) this.findSeq(Number(typed), queue, state);
    else this.warn(gettext("Type a seq_id such as 12, or the 32 hexadecimal digits of a message id."));
  }

  /**
   * @param {number} seq
   * @param {string} queue
   * @param {RunSnapshot} state
   */
  findSeq(seq, queue, state) {
    const next = nextSeqOf(state.queues[queue] ?? null);
    if (seq < next) this.selection.choose(seq);
    else if (next === 0) this.warn(gettext("Nothing was published yet."));
    else
      this.warn(
        fill(gettext("There is no message %(seq)s yet: the newest of %(queue)s is %(last)s."), {
          seq: number(seq),
          queue,
          last: number(next - 1),
        }),
      );
  }

  /** @param {PointerEvent} event */
  click(event) {
    const button = around(event, "[data-at]");
    if (button) this.playhead.go(Number(button.dataset.at) + 1, { from: "life" });
  }

  /** The run went on, or another moment is shown. */
  update() {
    const { life, playhead } = this;
    if (this.form.hidden) show(this.form, messagesIn(playhead) >= MANY);
    show(this.strip, life !== null);
    this.root.classList.toggle("is-following", life !== null);
    if (!life) {
      this.shown = "";
      return;
    }
    setText(find("[data-life-name]", this.strip), fill(gettext("message %(seq)s"), { seq: number(life.seq) }));
    setText(find("[data-life-now]", this.strip), this.words(life));
    const last = life.events[life.events.length - 1];
    const mark = [this.seq, this.queue, life.events.length, last?.number, playhead.behind && playhead.position].join();
    if (mark === this.shown) return;
    this.shown = mark;
    this.render(life);
  }

  /**
   * Where the message is at the moment that is shown.
   * @param {Life} life
   */
  words(life) {
    const found = placeIn(this.playhead.state, life.queue, life.seq);
    if (!found) return life.over ? gettext("over") : gettext("not in the queue");
    const { counted, unacked } = aboutPlace(found.place);
    if (counted) return stateWords(found.place, 0);
    const place = unacked ? gettext("unacked") : found.place;
    return `${place} · ${stateWords(found.place, found.row ? found.row[E.flags] : 31)}`;
  }

  /** @param {Life} life */
  render(life) {
    const { playhead } = this;
    const past = playhead.behind ? life.events.findLastIndex((event) => event.number < playhead.position) : null;
    const held = this.list.contains(focused()) ? focused()?.dataset.at : null;
    this.list.replaceChildren(
      ...life.events.map((event, at) => this.item(event, past !== null && at > past, at === past)),
    );
    if (!life.events.length)
      this.list.replaceChildren(el("li.dim", {}, gettext("What happened to it before is no longer kept.")));
    const here = past === null ? this.list.lastElementChild : this.list.children[past];
    if (here instanceof HTMLElement) this.list.scrollLeft = here.offsetLeft + here.offsetWidth - this.list.clientWidth + 24;
    if (held) find(`[data-at="${held}"]`, this.list)?.focus({ preventScroll: true });
  }

  /**
   * @param {LifeEvent} event
   * @param {boolean} later
   * @param {boolean} here
   */
  item(event, later, here) {
    const attributes = {
      type: "button",
      "data-at": event.number,
      "aria-current": here ? "true" : null,
      title: fill(gettext("%(time)s, transition %(n)s: go there"), { time: clock(event.us), n: number(event.number) }),
    };
    const classes = ["moment-of", event.file && "file", later && "later"].filter(Boolean).join(".");
    const button = el(`button.${classes}`, attributes, el("span.time", {}, seconds(event.us)), el("b", {}, lifeText(event)));
    return el(`li.tone-${lifeTone(event)}`, {}, button);
  }
}
