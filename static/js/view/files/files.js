/** The files on their canvases: those that a queue has for itself, and the two message stores. */
import { STORE_SYNC_MS, USUAL } from "../../model/catalogue/places.js";
import { STORE_FILE as F } from "../../model/catalogue/rows.js";
import { recordSpot } from "../../layout/bytes-spot.js";
import { byteAt, storeScene } from "../../layout/store-map.js";
import { recordAtByte, seqOfNumber, storePlan } from "../../model/bytes.js";
import { generationOf } from "../../model/generations.js";
import { locate, recordOf, recordOfNumber } from "../../model/messages.js";
import { isCounted } from "../../model/places.js";
import { shownQueue, shownState } from "../../model/shown.js";
import { fileBytes } from "../../model/facts.js";
import { bytes, fill, gettext, ngettext, number } from "../../model/text.js";
import { BytesPanel } from "./bytes.js";
import { fitCanvas, onResize, wide } from "../base/canvas.js";
import { write } from "../base/pen.js";
import { dataOf, find, findAll, need, setAttributes, setText, show } from "../base/dom.js";
import { RecordMoves } from "./moves.js";
import { goneText, paintFile } from "./paint.js";
import { clockOf, collectionClock, paintClock, paintMeter } from "./dials.js";
import { colors } from "../base/colors.js";
import { CALM_SPEED, act, draw } from "../base/scheduler.js";

/**
 * @import { Box } from "../../layout/geometry.js"
 * @import { StoreScene } from "../../layout/store-map.js"
 * @import { RecordAt } from "../../model/bytes.js"
 * @import { QueueSnapshot, RunSnapshot, Transition, Values } from "../../model/catalogue/types.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Selection } from "../../model/selection.js"
 * @import { Clock } from "./dials.js"
 */

/** Width of the instruments beside the map of a store. */
const METERS = 132;
const WIDE = 366;
/** The height that the clock under the write buffer needs. */
const CLOCK_FITS = 52;

export class FilesView {
  /**
   * `selection` holds the message whose bytes are shown, and gets the place of the pointer; `urls` lead to the session's files.
   * @param {HTMLElement} root
   * @param {Playhead} session
   * @param {Selection} selection
   * @param {Values} given
   */
  constructor(root, session, selection, { urls, host }) {
    this.root = root;
    this.session = session;
    this.selection = selection;
    /** @type {string | null} the store that the reader chose */
    this.store = null;
    /** @type {RecordAt | null} a place in a store that no message refers to, where that was chosen */
    this.place = null;
    /** @type {(() => void)[]} */
    this.painted = [];
    /** @type {{ queue: Values | null, store: StoreScene | null, name: string }} what the maps show, and of which store */
    this.scenes = { queue: null, store: null, name: "" };
    /** Whether anything was on disk in this run: from then on the maps stay. */
    this.filled = false;
    this.bytes = new BytesPanel(root, urls, host);
    const reduced = matchMedia("(prefers-reduced-motion: reduce)");
    this.moves = new RecordMoves(() => reduced.matches);
    selection.listen((what) => what === "chosen" && this.letGo());
    this.own = need("[data-canvas=index]", HTMLCanvasElement, root);
    this.rdq = need("[data-canvas=store]", HTMLCanvasElement, root);
    for (const canvas of [this.own, this.rdq]) onResize(canvas, () => this.update());
    for (const button of findAll("[data-store]", root))
      button.addEventListener("click", () => this.choose(dataOf(button, "store")));
    this.point(this.own, (x, y) => this.messageAt(x, y));
    this.point(this.rdq, (x, y) => this.recordAt(x, y));
  }

  /**
   * Call `listener()` when the maps have been drawn.
   * @param {() => void} listener
   */
  listen(listener) {
    this.painted.push(listener);
  }

  /**
   * Clicks on a map choose the message whose bytes are there; `hit` answers with {seq, open}, or null.
   * @param {HTMLCanvasElement} canvas
   * @param {(x: number, y: number) => { seq: number | null, open: () => void } | null} hit
   */
  point(canvas, hit) {
    /** @param {PointerEvent} event */
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      const scale = wide();
      return hit((event.clientX - box.left) / scale, (event.clientY - box.top) / scale);
    };
    canvas.addEventListener("pointermove", (event) => {
      const found = at(event);
      canvas.classList.toggle("points", Boolean(found));
      this.selection.point(found?.seq ?? null);
    });
    canvas.addEventListener("pointerleave", () => this.selection.point(null));
    canvas.addEventListener("click", (event) => at(event)?.open());
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  messageAt(x, y) {
    const queue = shownState(this.session.state);
    const scene = this.scenes.queue;
    const seq = queue && scene ? generationOf(queue).map?.at(scene, queue, x, y) ?? null : null;
    return seq === null ? null : { seq, open: () => this.selection.choose(seq) };
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  recordAt(x, y) {
    const hit = this.scenes.store ? byteAt(this.scenes.store, x, y) : null;
    const record = hit && recordAtByte(this.session.state, this.scenes.name, hit.file, hit.at);
    return record ? { seq: this.seqOf(record), open: () => this.openRecord(record) } : null;
  }

  /**
   * The seq_id of a record's message, as far as this page has received it.
   * @param {RecordAt} record
   */
  seqOf(record) {
    if (!record.refs || record.msgNo === undefined) return null;
    const { state, numbers } = this.session;
    const name = shownQueue(state);
    if (name === null) return null;
    const queue = state.queues[name];
    const known = numbers.seqOf(name, record.msgNo);
    return seqOfNumber(queue, record.msgNo) ?? (known !== null && locate(queue, known) ? known : null);
  }

  /**
   * Choose the message of a record: by this page's numbers, else by the index file; garbage has no message.
   * @param {RecordAt} record
   */
  async openRecord(record) {
    let seq = this.seqOf(record);
    const queue = shownQueue(this.session.state);
    if (seq === null && record.refs && queue !== null) {
      const where = { queue, file: `${record.store}:${record.file}`, offset: record.offset, whose: 1 };
      seq = (await this.bytes.records.request("whose", where))?.record?.seq ?? null;
    }
    this.store = record.store;
    this.selection.choose(seq);
    if (seq === null) {
      this.place = record;
      this.update();
    }
  }

  /** Another message was chosen: the place that no message refers to is let go of. */
  letGo() {
    this.place = null;
    this.update();
  }

  /** @param {string} name */
  choose(name) {
    this.store = name;
    this.update();
  }

  update() {
    draw("files", (now) => this.paint(now));
  }

  /**
   * A transition was folded: what a collector moves inside a file travels there.
   * @param {Transition} t
   */
  observe(t) {
    const { session } = this;
    if (!session.behind && !(session.play && session.speed > CALM_SPEED)) this.moves.observe(t, session.state, performance.now());
  }

  /**
   * The maps open by themselves with the first byte on disk.
   * @param {RunSnapshot} state
   */
  open(state) {
    this.filled ||= fileBytes(state) > 0;
    this.root.classList.toggle("nothing-yet", !this.filled);
    this.root.parentElement?.classList.toggle("has-nothing", !this.filled);
  }

  /**
   * Draw the maps; returns whether something is still on its way.
   * @param {number} now
   */
  paint(now) {
    const { state } = this.session;
    if (this.session.behind) this.moves.clear();
    this.open(state);
    const queue = shownState(state);
    const own = this.paintOwn(queue);
    const chosen = this.recordShown(state, queue);
    const name = this.store ?? chosen?.store ?? busiest(state);
    const store = this.paintStore(state, queue, name, now);
    act("files, described", () => this.describe(own, store, name));
    return store.moves;
  }

  /**
   * Describe in words what is drawn, show the bytes of what is chosen.
   * @param {{ note: string, label: string }} own
   * @param {{ note: string, label: string }} store
   * @param {string} name
   */
  describe(own, store, name) {
    const { state } = this.session;
    const queue = shownState(state);
    for (const button of findAll("[data-store]", this.root))
      setAttributes(button, { "aria-pressed": button.dataset.store === name });
    setText(find("[data-own-title]", this.root), generationOf(queue).map?.title?.() ?? gettext("Queue index"));
    for (const each of findAll("[data-of]", this.root)) show(each, dataOf(each, "of").split(" ").includes(queue?.backing_queue ?? USUAL));
    setText(find("[data-index-note]", this.root), own.note);
    setAttributes(this.own, { "aria-label": own.label });
    setText(find("[data-store-note]", this.root), store.note);
    setAttributes(this.rdq, { "aria-label": store.label });
    const at = this.session.behind ? this.session.position : null;
    this.bytes.update({ state, queue, seq: this.selection.chosen, place: this.place, at });
    for (const listener of this.painted) listener();
  }

  /**
   * Where the content of what is chosen is.
   * @param {RunSnapshot} state
   * @param {QueueSnapshot | null} queue
   */
  recordShown(state, queue) {
    const { chosen } = this.selection;
    return chosen === null || !queue ? this.place : this.recordOf(state, queue, chosen);
  }

  /**
   * Where a message's content is; for one that RAM only counts its number must be known to this page, or its index record.
   * @param {RunSnapshot} state
   * @param {QueueSnapshot} queue
   * @param {number} seq
   */
  recordOf(state, queue, seq) {
    const known = recordOf(state, queue, seq);
    if (known || !isCounted(locate(queue, seq)?.place ?? "")) return known;
    const name = shownQueue(state);
    const msgNo = name === null ? null : this.session.numbers.numberOf(name, seq);
    if (msgNo !== null)
      return recordOfNumber(state, "persistent", msgNo) ?? recordOfNumber(state, "transient", msgNo);
    const { answer } = this.bytes;
    return storePlan(state, queue, seq, answer?.seq === seq ? answer : null).record ?? null;
  }

  /**
   * Boxes of a message's bytes on the maps, in pixels of the window; of what is chosen also where no message is.
   * @param {number | null} seq
   * @param {boolean} [chosen]
   */
  spotsOf(seq, chosen) {
    const { state } = this.session;
    const queue = shownState(state);
    /** @type {Box[]} */
    const spots = [];
    if (seq !== null && queue && this.scenes.queue)
      for (const box of generationOf(queue).map?.spots(this.scenes.queue, state, queue, seq) ?? []) spots.push(onPage(this.own, box));
    const record = seq === null ? chosen !== false && this.place : queue && this.recordOf(state, queue, seq);
    const { store, name } = this.scenes;
    const box = record && store && record.store === name ? recordSpot(store, record) : null;
    if (box) spots.push(onPage(this.rdq, box));
    return spots;
  }

  /** The upper edge of the maps in the window. */
  get top() {
    return this.root.getBoundingClientRect().top;
  }

  /**
   * Draw the files that the queue has for itself, as its kind draws them.
   * @param {QueueSnapshot | null} queue
   * @returns {{ note: string, label: string }}
   */
  paintOwn(queue) {
    const { pen, width, height } = fitCanvas(this.own);
    const { map } = generationOf(queue);
    if (!map) return { note: "", label: gettext("This kind of queue has no files of its own.") };
    const drawn = map.paint(pen, { width, height, queue, session: this.session, chosen: this.selection.chosen });
    this.scenes.queue = drawn.scene;
    return drawn;
  }

  /**
   * Garbage, write buffer and fsync clock, in a column right of the maps.
   * @param {CanvasRenderingContext2D} pen
   * @param {number} x
   * @param {StoreScene} scene
   * @param {Clock} clock
   * @param {number} height
   */
  paintMeters(pen, x, scene, clock, height) {
    const share = scene.bytes ? scene.garbage / scene.bytes : 0;
    const room = height >= 84;
    if (room)
      paintMeter(pen, x, 0, METERS - 12, { title: gettext("Garbage"), text: `${Math.round(100 * share)}\u202f%`,
        share, mark: 0.5, hatched: true });
    const buffer = { title: gettext("Write buffer"), text: bytes(scene.buffered), share: scene.buffered / scene.buffer };
    paintMeter(pen, x, room ? 30 : 0, METERS - 12, buffer);
    if (height < CLOCK_FITS) return;
    paintClock(pen, x + 8, room ? 74 : 42, clock);
    write(pen, clock.short ?? clock.text, x + 22, room ? 77.5 : 45.5, { size: 12, family: colors.sans, color: colors.ink3 });
  }

  /**
   * What a store waits for: an fsync, or the moment when it looks at its files where it knows no fsync.
   * @param {QueueSnapshot | null} queue
   * @param {string} name
   */
  clockOfStore(queue, name) {
    const { unsynced, nowUs } = this.session;
    return generationOf(queue).map?.fsyncs === false
      ? collectionClock(unsynced.collections[name], nowUs)
      : clockOf(unsynced.stores[name], nowUs, STORE_SYNC_MS);
  }

  /**
   * @param {RunSnapshot} state
   * @param {QueueSnapshot | null} queue
   * @param {string} name
   * @param {number} now
   */
  paintStore(state, queue, name, now) {
    const { pen, width, height } = fitCanvas(this.rdq);
    const meters = width >= WIDE;
    const shown = shownQueue(state);
    /**
     * @param {number} start
     * @param {number} count
     */
    const known = (start, count) => (shown === null ? [] : this.session.numbers.spansOf(shown, start, count));
    const clock = this.clockOfStore(queue, name);
    const collection = this.session.unsynced.collections[name];
    const scene = storeScene(state, queue, name, meters ? width - METERS : width, height, known, collection);
    for (const file of scene.files) Object.assign(file, { waited: clock.share, left: "left" in clock ? clock.left : "" });
    Object.assign(this.scenes, { store: scene, name });
    if (!scene.files.length)
      write(pen, gettext("No message content is on disk yet."), 0, 16, {
        size: 12,
        family: colors.sans,
        color: colors.ink3,
      });
    for (const file of scene.files) paintFile(pen, file);
    const moves = this.moves.paint(pen, scene, name, now);
    if (meters) this.paintMeters(pen, width - METERS + 12, scene, clock, height);
    const share = scene.bytes ? Math.round((100 * scene.garbage) / scene.bytes) : 0;
    const text = scene.bytes
      ? fill(gettext("%(bytes)s, %(share)s % garbage"), { bytes: bytes(scene.bytes), share })
      : gettext("empty");
    const folded = scene.folded ? fill(ngettext("%(n)s file not shown", "%(n)s files not shown", scene.folded), { n: number(scene.folded) }) : "";
    const scale =
      scene.scale < scene.limit
        ? fill(gettext("a bar is %(bytes)s long, a full file %(limit)s"), { bytes: bytes(scene.scale), limit: bytes(scene.limit) })
        : "";
    const note = [text, scale, folded, goneText(scene.gone, "rdq")].filter(Boolean).join(" · ");
    return {
      moves,
      note,
      label: fill(ngettext("Message store: %(text)s, %(files)s file", "Message store: %(text)s, %(files)s files", scene.files.length + (scene.folded || 0)), {
        text: `${text}, ${clock.text}`,
        files: number(scene.files.length + (scene.folded || 0)),
      }),
    };
  }
}

/**
 * A box of a canvas in pixels of the window.
 * @param {HTMLCanvasElement} canvas
 * @param {Box} box
 */
function onPage(canvas, { x, y, w, h }) {
  const { left, top } = canvas.getBoundingClientRect();
  const scale = wide();
  return { x: left + scale * x, y: top + scale * y, w: scale * w, h: scale * h };
}

/**
 * The store that has something, the persistent one first.
 * @param {RunSnapshot} state
 */
function busiest(state) {
  /** @param {string} name */
  const size = (name) => (state.stores[name]?.files || []).reduce((sum, file) => sum + file[F.file_size], 0);
  return size("transient") > size("persistent") ? "transient" : "persistent";
}
