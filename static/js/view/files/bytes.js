/** The bytes of the chosen message, read from the session's real files: its record in the index and in the store. */
import { bitGroups, fitsUnder, hexRows, hexText } from "../../layout/hex.js";
import { fieldMeaning, fieldName, fieldValue, whyNoBytes } from "../../model/byte-words.js";
import { placePlan, storePlan } from "../../model/bytes.js";
import { generationOf } from "../../model/generations.js";
import { inHost, shownHost } from "../../model/hosts.js";
import { bytes, fill, gettext, ngettext, number } from "../../model/text.js";
import { Records } from "../../net/records.js";
import { el, find, findAll, icon, need, required, setText, show } from "../base/dom.js";
import { ruleLink } from "../base/rule-link.js";

/**
 * @import { ByteRow, HexField, HexRecord, LeftOut } from "../../layout/hex.js"
 * @import { BytesQuestion, Plan, SentRecord } from "../../model/bytes.js"
 * @import { QueueSnapshot, RunSnapshot, Values } from "../../model/catalogue/types.js"
 * @import { Host } from "../../net/server.js"
 */

const AGAIN_MS = 400;
/** A record of the past is requested when the reader has stayed at a moment for so long. */
const STAY_MS = 350;
/** @type {Side[]} */
const SIDES = ["index", "store"];

/** @typedef {"index" | "store"} Side of the two files that a message has bytes in */

export class BytesPanel {
  /**
   * `urls` are those of the page: download, archive; `host` sends records.
   * @param {HTMLElement} root
   * @param {Values} urls
   * @param {Host} host
   */
  constructor(root, urls, host) {
    this.root = root;
    this.records = new Records((question, signal) =>
      host.record({ ...question, queue: inHost(shownHost(), question.queue ?? "") }, signal),
    );
    this.strips = Object.fromEntries(SIDES.map((side) => [side, new Strip(need(`[data-bytes=${side}]`, root), urls)]));
    this.toggle = need("[data-act=bytes]", root);
    this.toggle.addEventListener("click", () => this.open(this.toggle.getAttribute("aria-expanded") !== "true"));
    this.index = emptySide();
    this.store = emptySide();
    /** @type {Values | null} what was to be shown last */
    this.last = null;
    /** Whether bytes were shown before: then the reader opens and closes them. */
    this.seen = false;
    /** @type {string | null} the field under the pointer, and the one that has the focus */
    this.pointed = null;
    /** @type {string | null} */
    this.focused = null;
    root.addEventListener("pointerover", (event) => this.light({ pointed: partOf(event.target) }));
    root.addEventListener("pointerleave", () => this.light({ pointed: null }));
    root.addEventListener("focusin", (event) => this.light({ focused: partOf(event.target) }));
    root.addEventListener("focusout", () => this.light({ focused: null }));
  }

  /** @param {Side} side */
  forget(side) {
    this[side] = emptySide();
  }

  /** @param {boolean} opened */
  open(opened) {
    this.toggle.setAttribute("aria-expanded", String(opened));
    this.root.toggleAttribute("data-open", opened);
    this.root.parentElement?.classList.toggle("has-bytes", opened);
    for (const side of SIDES) show(this.strips[side].root, opened);
  }

  /** The index record of this message if it was read, with the place of the content. */
  get answer() {
    return this.index.answer?.record ?? null;
  }

  /**
   * Show the bytes of a message, or of a place in a store that no message refers to: as they are now, or as they were
   * after `at` transitions.
   * @param {Values} given
   */
  update({ state, queue, seq, place, at }) {
    this.last = { state, queue, seq, place, at };
    for (const side of SIDES) this.strips[side].asOf(at);
    if (seq === null && !place) {
      for (const side of SIDES) this.setNote(side, "", nothing(side));
      return;
    }
    if (this.toggle.getAttribute("aria-expanded") !== "true" && !this.seen) this.open(true);
    this.seen = true;
    this.follow("index", place ? { why: "garbage" } : generationOf(queue).ownPlan(state, queue, seq), at);
    const answer = this.answer?.seq === seq ? this.answer : null;
    this.follow("store", place ? placePlan(state, place) : bodyOf(state, queue, seq, answer), at);
  }

  /**
   * @param {Side} side
   * @param {Plan} plan
   * @param {number | null} at
   */
  follow(side, plan, at) {
    const mine = this[side];
    if ("why" in plan) {
      this.setNote(side, `${plan.why}`, whyNoBytes(side, plan));
      return;
    }
    if (at !== null) {
      this.followPast(side, { ...plan, question: { ...plan.question, at }, key: `${plan.key}@${at}` }, at);
      return;
    }
    const settled = mine.key === plan.key && isWhole(mine.answer?.record, plan);
    if (settled || (mine.key === plan.key && mine.waited === plan.later)) return;
    const key = `${plan.key}|${plan.later}`;
    if (mine.timer) return;
    const wait = mine.key === plan.key ? Math.max(0, mine.at + AGAIN_MS - performance.now()) : 0;
    mine.timer = setTimeout(() => this.fetch(side, plan, key), wait);
  }

  /**
   * A moment of the past never changes: its record is requested once, after the reader has stayed there for a moment.
   * @param {Side} side
   * @param {BytesQuestion} plan
   * @param {number} at
   */
  followPast(side, plan, at) {
    const mine = this[side];
    if (mine.key === plan.key || mine.requested === plan.key) return;
    const text = fill(gettext("Repeating the run up to transition %(n)s …"), { n: number(at) });
    this.setNote(side, plan.key, text);
    this[side].timer = setTimeout(() => this.fetch(side, plan, plan.key), STAY_MS);
  }

  /**
   * @param {Side} side
   * @param {BytesQuestion} plan
   * @param {string} key
   */
  async fetch(side, plan, key) {
    const mine = this[side];
    Object.assign(mine, { timer: 0, at: performance.now(), waited: plan.later });
    if (mine.key !== plan.key) mine.answer = null;
    mine.key = plan.key;
    mine.requested = key;
    const answer = await this.records.request(side, plan.question);
    if (!answer || mine.requested !== key) return;
    mine.answer = answer;
    if (answer.record) {
      this.strips[side].show(/** @type {HexRecord} */ (answer.record), mine.key);
      this.light({}); // cells drawn anew are lit as those before them
    } else this.strips[side].setNote(answer.waiting ?? answer.error);
    if (this.last) this.update(this.last);
  }

  /**
   * @param {Side} side
   * @param {string} key
   * @param {string} text
   */
  setNote(side, key, text) {
    const mine = this[side];
    clearTimeout(mine.timer);
    this.forget(side);
    this[side].requested = key;
    this.strips[side].setNote(text);
  }

  /**
   * The same id in both strips lights up together, for the pointer and for the focus.
   * @param {{ pointed?: string | null, focused?: string | null }} change
   */
  light(change) {
    Object.assign(this, change);
    const lit = [this.pointed, this.focused].includes("message id");
    for (const cell of findAll("[data-part='message id']", this.root)) cell.classList.toggle("is-lit", lit);
  }
}

/**
 * Where to read the body of a message: in a file of its queue, or in a store.
 * @param {RunSnapshot} state
 * @param {QueueSnapshot | null} queue
 * @param {number} seq
 * @param {SentRecord | null} record
 */
function bodyOf(state, queue, seq, record) {
  return generationOf(queue).bodyPlan(state, queue, seq, record) ?? storePlan(state, queue, seq, record);
}

/**
 * The field of the record that an event met.
 * @param {EventTarget | null} target
 */
function partOf(target) {
  return target instanceof Element ? (target.closest("[data-part]")?.getAttribute("data-part") ?? null) : null;
}

/** One side before its first request. */
function emptySide() {
  /** @type {{ key: string, answer: Values | null, at: number, timer: number, waited: string, requested: string }} */
  const empty = { key: "", answer: null, at: 0, timer: 0, waited: "", requested: "" };
  return empty;
}

/**
 * Whether nothing is missing: a record, and the ack that the journal's buffer may still hold back.
 * @param {HexRecord | null | undefined} record
 * @param {BytesQuestion} plan
 */
function isWhole(record, plan) {
  if (!record) return false;
  return !plan.acked || (record.more || []).some((/** @type {Values} */ each) => each.kind === "ack");
}

/**
 * What stands there while nothing is chosen.
 * @param {Side} side
 */
function nothing(side) {
  return side === "index"
    ? gettext("To see a message's index record, choose the message on the stage, or its cell of a segment.")
    : gettext("To see a message's content on disk, choose the message on the stage, or its block of a store file.");
}

/** One record: where it is, its bytes in colours, and what the field under the pointer means. */
class Strip {
  /**
   * @param {HTMLElement} root
   * @param {Values} urls
   */
  constructor(root, urls) {
    this.root = root;
    this.urls = urls;
    /** @type {HexRecord | null} the record that is shown */
    this.record = null;
    /** @type {number | null} */
    this.at = null;
    this.all = false;
    /** @type {string | null} what stands there instead of a record */
    this.text = null;
    this.title = find("[data-title]", root);
    this.note = find("[data-note]", root);
    this.hex = need("[data-hex]", root);
    this.about = need("[data-about]", root);
    this.hex.addEventListener("pointerover", (event) => this.explain(event.target));
    this.hex.addEventListener("focusin", (event) => this.explain(event.target));
    this.hex.addEventListener("keydown", (event) => this.walk(event));
    need("[data-act=copy]", root).addEventListener("click", () => this.copy());
  }

  /**
   * Of which moment the bytes are: after so many transitions, or null for now.
   * @param {number | null} at
   */
  asOf(at) {
    if (this.at === at) return;
    this.at = at;
    const chip = find("[data-as-of]", this.root);
    show(chip, at !== null);
    if (at !== null) setText(chip, fill(gettext("as of transition %(n)s"), { n: number(at) }));
    const all = find("[data-act=archive]", this.root);
    if (all) all.setAttribute("href", at === null ? this.urls.archive : `${this.urls.archive}?at=${at}`);
    this.tools();
  }

  /** @param {string} text */
  setNote(text) {
    if (!this.record && this.text === text) return;
    this.record = null;
    this.text = text;
    this.hex.replaceChildren(el("p.none", {}, text));
    setText(this.title, "");
    setText(this.note, "");
    this.about.replaceChildren();
    this.tools();
  }

  /**
   * Show a record; the same one again (its ack has come) leaves the reader where he is.
   * @param {HexRecord} record
   * @param {string} key
   */
  show(record, key) {
    const same = this.record && this.key === key && this.record.hex === record.hex;
    this.record = record;
    this.key = key;
    setText(this.title, `${record.name} @ 0x${record.offset.toString(16).toUpperCase()}`);
    setText(this.note, noteOf(record));
    this.tools();
    if (same) return;
    this.all = false;
    this.draw();
    this.explain(null);
  }

  tools() {
    const link = need("[data-act=download]", this.root);
    show(link, Boolean(this.record));
    show(find("[data-act=copy]", this.root), Boolean(this.record));
    if (!this.record) return;
    const where = { path: this.record.path, ...(this.at === null ? {} : { at: String(this.at) }) };
    link.setAttribute("href", `${this.urls.download}?${new URLSearchParams(where)}`);
    const words = fill(gettext("Download %(name)s (%(size)s)"), {
      name: this.record.name,
      size: bytes(this.record.file_size),
    });
    link.setAttribute("aria-label", words);
    link.setAttribute("title", words);
  }

  /** The record that is shown, where one is. */
  get whole() {
    return required(this.record, "the record");
  }

  draw() {
    const rows = hexRows(this.whole, this.all).map((row) => ("more" in row ? this.moreRow(row) : this.row(row)));
    this.hex.replaceChildren(...rows);
    this.hex.scrollTop = 0;
    find("[data-field]", this.hex)?.setAttribute("tabindex", "0");
  }

  /** @param {ByteRow} row */
  row({ at, cells }) {
    const offset = `0x${at.toString(16).toUpperCase().padStart(4, "0")}`;
    return el("div.hex-row", {}, el("span.at", { "aria-hidden": "true" }, offset), ...cells.map((cell) => this.cell(cell)));
  }

  /** @param {Values} given */
  cell({ field: index, bytes: own, first }) {
    const field = this.whole.fields[index];
    const name = fieldName(field.name);
    const text = el("code", {}, own.join(" "));
    const label = first && fitsUnder(name, own.length) ? name : "";
    const attributes = { "data-field": index, "data-part": field.part, "aria-hidden": first ? null : "true" };
    if (!first) return el("span.cell", attributes, text, el("small", {}, label));
    Object.assign(attributes, { type: "button", tabindex: "-1", "aria-label": this.labelOf(field, name) });
    return el("button.cell", attributes, text, el("small", {}, label));
  }

  /**
   * @param {HexField} field
   * @param {string} name
   */
  labelOf(field, name) {
    return fill(ngettext("%(name)s, %(count)s byte at %(at)s: %(value)s", "%(name)s, %(count)s bytes at %(at)s: %(value)s", field.length), {
      name,
      count: number(field.length),
      at: `0x${(this.whole.offset + field.offset).toString(16).toUpperCase()}`,
      value: fieldValue(field),
    });
  }

  /** @param {LeftOut} row */
  moreRow({ more, field }) {
    const { shown, length } = this.whole.fields[field];
    const text = fill(ngettext("%(n)s byte more", "%(n)s bytes more", more), { n: number(more) });
    const row = el("div.hex-row.more", {}, el("span.at", { "aria-hidden": "true" }, "…"), el("span", {}, text));
    if (!this.all && more > length - shown)
      row.append(el("button.btn.small", { type: "button", onclick: () => this.expand() }, gettext("show the first 512")));
    return row;
  }

  expand() {
    this.all = true;
    this.draw();
    const body = this.whole.fields.findIndex((/** @type {HexField} */ field) => field.part === "body");
    find(`button[data-field="${body}"]`, this.hex)?.focus();
  }

  /**
   * Explain a field; without one, the record.
   * @param {EventTarget | null} target
   */
  explain(target) {
    const cell = target instanceof Element ? target.closest("[data-field]") : null;
    if (target && !cell) return;
    for (const each of findAll(".cell", this.hex))
      each.classList.toggle("is-on", Boolean(cell) && each.dataset.field === cell?.getAttribute("data-field"));
    if (!cell) {
      this.about.replaceChildren(el("span.dim", {}, gettext("Point at a field, or move between fields with the arrow keys.")));
      return;
    }
    const field = this.whole.fields[Number(cell.getAttribute("data-field"))];
    const head = el("p", {}, el("b", {}, fieldName(field.name)), " ", el("span", {}, fieldValue(field)), " ",
      ruleLink(field.rule, { title: gettext("the rule that says so") }));
    this.about.replaceChildren(head, el("p.dim", {}, fieldMeaning(field.name)));
    if (field.bits?.length) this.about.append(bitsOf(field));
  }

  /**
   * Arrows walk the fields; the page's own keys rest meanwhile.
   * @param {KeyboardEvent} event
   */
  walk(event) {
    const cells = findAll("button.cell", this.hex);
    const at = cells.findIndex((cell) => cell === document.activeElement);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: cells.length - 1 }[
      event.key
    ];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = cells[Math.max(0, Math.min(cells.length - 1, to))];
    for (const cell of cells) cell.setAttribute("tabindex", cell === next ? "0" : "-1");
    next.focus();
  }

  async copy() {
    const button = need("[data-act=copy]", this.root);
    let name = "check";
    try {
      await navigator.clipboard.writeText(hexText(this.whole, (field) => `${fieldName(field.name)}: ${fieldValue(field)}`));
    } catch {
      name = "close"; // the browser does not allow it
    }
    button.replaceChildren(icon(name));
    setText(find("[data-copied]", this.root), name === "check" ? gettext("copied") : gettext("could not be copied"));
    setTimeout(() => {
      button.replaceChildren(icon("copy"));
      setText(find("[data-copied]", this.root), "");
    }, 1500);
  }
}

/** @param {HexRecord} record */
function noteOf(record) {
  const kinds = record.fields.filter((field) => field.part === "mark").map((field) => fieldName(field.name));
  /** @type {Record<string, string>} */
  const whole = {
    content: gettext("id and Erlang term"),
    slot: gettext("one slot"),
    empty: gettext("a slot of a message that is over"),
    entry: gettext("header and Erlang term"),
  };
  const parts = whole[record.kind] ? [whole[record.kind]] : [gettext("publish"), ...kinds];
  for (const each of record.more || []) parts.push(`${each.kind} @ 0x${each.offset.toString(16).toUpperCase()}`);
  return fill(gettext("%(n)s bytes: %(parts)s"), { n: number(record.size), parts: parts.join(" + ") });
}

/** @param {HexField} field */
function bitsOf(field) {
  const groups = bitGroups(field).map((group) =>
    el("span.bits", { title: group.words }, el("code", {}, group.digits), el("small", {}, group.name)),
  );
  return el("div.bit-row", {}, ...groups);
}
