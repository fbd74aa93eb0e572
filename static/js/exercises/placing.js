/** Be the broker on the stage itself: messages are dragged from lane to lane, or moved by keys. Each move is one of the board. */
import { chipSpots, laneAt, laneBox } from "../layout/placed.js";
import { frameOf, spotOf } from "../layout/spot.js";
import { hit } from "../layout/stage.js";
import { fill, gettext } from "../model/text.js";
import { placeOf, wide } from "../view/base/canvas.js";
import { carry, Carried } from "../view/base/carry.js";
import { around, dataOf, el, find, focused, need, required, setAttributes, show } from "../view/base/dom.js";
import { placeName } from "./board.js";
import { moveAlong, whyNot } from "./along.js";

/**
 * @import { Box } from "../layout/geometry.js"
 * @import { Followed } from "../pages/followed.js"
 * @import { Board } from "./board.js"
 */

/** @type {Record<string, number>} by the names of keys */
const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

export class Placing {
  /**
   * On the stage's card `root`; `board` has the places of the messages and moves them, `stage`, `selection` and `alerts` are the page's.
   * @param {HTMLElement} root
   * @param {Board} board
   * @param {Pick<Followed, "stage" | "selection" | "alerts">} page
   */
  constructor(root, board, { stage, selection, alerts }) {
    this.board = board;
    this.stage = stage;
    this.alerts = alerts;
    this.root = root;
    this.box = need(".stage-box", root);
    this.zones = Object.fromEntries(["arriving", "gone"].map((name) => [name, zone(name)]));
    this.lanes = el("div", { role: "group", "aria-label": gettext("Messages that you have put elsewhere") });
    this.target = el("div.predicted-lane.is-target", { hidden: true });
    this.strip = el("div.placing", {}, this.zones.arriving, this.zones.gone);
    this.box.before(this.strip);
    /** Whether another task has taken the place of this one. */
    this.over = false;
    this.box.append(this.lanes, this.target);
    this.label = new Carried(this.box);
    /** @type {Map<string, HTMLElement>} chips of messages that were put elsewhere, by message */
    this.chips = new Map();
    /** @type {Map<string, HTMLElement>} what covers the glyphs that they left */
    this.covers = new Map();
    this.drawn = "";
    carry(root, {
      pick: (event) => this.pick(event),
      move: (seq, event) => this.follow(seq, event),
      drop: (seq, event) => this.drop(seq, event),
    });
    document.addEventListener("keydown", (event) => this.key(event), true);
    selection.listen((what) => what === "chosen" && !this.over && board.choose(selection.chosen));
    board.listen(() => this.draw());
    stage.listen(() => this.draw());
    stage.open = true;
    stage.refresh();
  }

  /**
   * The message that a press takes hold of, or null.
   * @param {PointerEvent} event
   */
  pick(event) {
    if (this.over) return null;
    const chip = around(event, "[data-chip]");
    if (chip) return dataOf(chip, "chip");
    if (event.target !== this.stage.canvas || !this.stage.scene || this.stage.zoom) return null;
    const at = placeOf(event);
    const seq = this.stage.seqAt(hit(this.stage.scene, at.x, at.y));
    return seq !== null && this.board.at(String(seq)) !== null ? String(seq) : null;
  }

  /**
   * The place under the pointer, or null.
   * @param {{ clientX: number, clientY: number }} pointer
   */
  placeUnder({ clientX, clientY }) {
    const under = document.elementFromPoint(clientX, clientY);
    const named = under?.closest("[data-place]");
    if (named) return named.getAttribute("data-place");
    const { scene } = this.stage;
    if (!this.box.contains(under) || !scene) return null;
    const { left, top } = this.box.getBoundingClientRect();
    return laneAt(scene, (clientX - left) / wide(), (clientY - top) / wide());
  }

  /**
   * @param {string} seq
   * @param {PointerEvent} event
   */
  follow(seq, event) {
    const place = this.placeUnder(event);
    const message = fill(gettext("message %(number)s"), { number: this.board.carried(seq).join(", ") });
    this.label.show(place === null ? message : `${message} → ${placeName(place)}`, event);
    this.frame(place);
  }

  /**
   * Frame the lane, or the zone, where it would go.
   * @param {string | null} place
   */
  frame(place) {
    for (const [name, each] of Object.entries(this.zones)) each.classList.toggle("is-over", name === place);
    const { scene } = this.stage;
    const box = place && scene && laneBox(scene, place);
    show(this.target, Boolean(box));
    if (box) stand(this.target, box);
  }

  /**
   * @param {string} seq
   * @param {PointerEvent | null} event
   */
  drop(seq, event) {
    this.label.hide();
    this.frame(null);
    if (event) this.put(this.board.carried(seq), this.placeUnder(event));
  }

  /**
   * Put messages into a place as the board does, or show why that is not possible.
   * @param {string[]} seqs
   * @param {string | null} place
   */
  put(seqs, place) {
    const why = whyNot(this.board, seqs, place);
    if (why || place === null) this.alerts.flash(why);
    else this.board.move(seqs, place, { focus: false });
  }

  /**
   * Shift and an arrow: a place further towards the consumer, or back.
   * @param {KeyboardEvent} event
   */
  key(event) {
    const step = STEPS[event.key];
    const on = around(event, "[data-chip], #twin [data-seq]");
    if (!step || !event.shiftKey || !on || this.over) return;
    const seq = on.dataset.chip ?? dataOf(on, "seq");
    const from = this.board.at(seq);
    if (from === null) return;
    event.preventDefault();
    event.stopPropagation();
    const place = moveAlong(this.board.places, from, step);
    if (place === null)
      this.alerts.flash(fill(gettext("There is no place beyond %(place)s."), { place: placeName(from) }));
    else {
      const onBoard = on.closest(".board") !== null;
      this.board.move([seq], place, { focus: onBoard });
      if (!onBoard) (this.chips.get(seq) ?? find(`#twin [data-seq="${seq}"]`))?.focus();
    }
  }

  /** Show the messages that were moved: a chip where they are now, and a cover over the glyph that they left. */
  draw() {
    const { shown: scene, queue } = this.stage;
    if (!scene || !queue || this.over) return;
    /** @type {Record<string, string>} */
    const moved = {};
    /** @type {Record<string, Box>} */
    const left = {};
    for (const [seq, place] of this.board.moved()) {
      const spot = spotOf(scene, queue, Number(seq));
      if (spot?.lane.name === place) continue;
      moved[seq] = place;
      const frame = spot && frameOf(scene, spot.lane, spot.index);
      if (frame) left[seq] = frame;
    }
    const spots = chipSpots(scene, moved);
    const drawn = JSON.stringify([moved, left, spots, wide(), this.board.chosen()]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    keep(this.covers, Object.keys(left), () => this.box.insertBefore(el("div.moved-from", { "aria-hidden": "true" }), this.lanes));
    for (const [seq, cover] of this.covers) stand(cover, left[seq]);
    this.drawChips(moved, spots);
  }

  /** Take everything from the stage: another task comes. */
  remove() {
    this.over = true;
    this.stage.open = false;
    this.stage.refresh();
    for (const each of [this.strip, this.lanes, this.target, this.label.label, ...this.covers.values()]) each.remove();
  }

  /**
   * @param {Record<string, string>} moved places by message
   * @param {ReturnType<typeof chipSpots>} spots
   */
  drawChips(moved, spots) {
    const held = focused();
    keep(this.chips, Object.keys(moved), (seq) => this.chip(seq));
    for (const [seq, place] of Object.entries(moved)) {
      const chip = required(this.chips.get(seq), `the chip of message ${seq}`);
      const parent = this.zones[place] ?? this.lanes;
      if (chip.parentElement !== parent) parent.append(chip);
      setAttributes(chip, {
        "data-place": place,
        "aria-pressed": this.board.chosen().includes(seq),
        "aria-label": fill(gettext("message %(number)s, put into %(place)s"), { number: seq, place: placeName(place) }),
      });
    }
    for (const { seq, x, y } of spots) stand(required(this.chips.get(seq), `the chip of message ${seq}`), { x, y });
    show(this.zones.arriving, Object.values(moved).includes("arriving"));
    if (held !== focused() && held?.isConnected) held.focus();
  }

  /** @param {string} seq */
  chip(seq) {
    return el("button.chip-message", { type: "button", "data-chip": seq, onclick: () => this.board.choose(Number(seq)) }, seq);
  }
}

/** @param {string} name */
function zone(name) {
  return el("div.placing-zone", { "data-place": name, role: "group", "aria-label": placeName(name) }, el("span", { "aria-hidden": "true" }, placeName(name)));
}

/**
 * Stand at a rectangle of the canvas.
 * @param {HTMLElement} element
 * @param {Partial<Box>} box
 */
function stand(element, box) {
  const scale = wide();
  /** @type {Record<string, "left" | "top" | "width" | "height">} */
  const names = { x: "left", y: "top", w: "width", h: "height" };
  for (const [name, value] of Object.entries(box)) element.style[names[name]] = `${value * scale}px`;
}

/**
 * Let a map have these keys: new ones are made, what is left over is taken from the page.
 * @param {Map<string, HTMLElement>} map
 * @param {string[]} keys
 * @param {(key: string) => HTMLElement} make
 */
function keep(map, keys, make) {
  for (const [key, element] of map)
    if (!keys.includes(key)) {
      element.remove();
      map.delete(key);
    }
  for (const key of keys) if (!map.has(key)) map.set(key, make(key));
}
