/** The files on their canvases: segments of the index, and the two message stores. */
import { ENTRY as N, STORE_FILE as F } from "../../model/catalogue/rows.js";
import { entryAt, indexScene } from "../../layout/index-map.js";
import { entrySpot, recordSpot } from "../../layout/bytes-spot.js";
import { byteAt, storeScene } from "../../layout/store-map.js";
import { entryOf, recordAtByte, recordOf, recordOfNumber, seqOfNumber, storePlan } from "../../model/bytes.js";
import { locate } from "../../model/messages.js";
import { shownQueue, shownState } from "../../model/shown.js";
import { holding } from "../../model/stretches.js";
import { bytes, fill, gettext, number } from "../../model/text.js";
import { BytesPanel } from "./bytes.js";
import { fitCanvas, onResize, wide, write } from "../base/canvas.js";
import { dataOf, find, findAll, need, setAttributes, setText } from "../base/dom.js";
import { journalBox, paintFile, paintFolded, paintJournal, paintSegment } from "./paint.js";
import { clockOf, paintDial, paintMeter } from "./dials.js";
import { colors } from "../base/colors.js";
import { act, draw } from "../base/scheduler.js";

/**
 * @import { Box } from "../../layout/geometry.js"
 * @import { IndexScene } from "../../layout/index-map.js"
 * @import { StoreScene } from "../../layout/store-map.js"
 * @import { RecordAt } from "../../model/bytes.js"
 * @import { QueueState, State, Values } from "../../model/catalogue/types.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Selection } from "../../model/selection.js"
 * @import { Waiting } from "../../model/unsynced.js"
 */

const HEAD = 24;
/** Width of the instruments beside the map of a store. */
const METERS = 132;
const WIDE = 366;
/** The height that the clock under the write buffer needs. */
const CLOCK_FITS = 52;
/** How long a store waits for more before it syncs (S166), and an idle queue before its journal (P2). */
const STORE_SYNC_MS = 25;
const INDEX_SYNC_MS = 200;

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
    /** @type {{ index: IndexScene | null, store: StoreScene | null, name: string }} what the maps show, and of which store */
    this.scenes = { index: null, store: null, name: "" };
    this.bytes = new BytesPanel(root, urls, host);
    selection.listen((what) => what === "chosen" && this.letGo());
    this.index = need("[data-canvas=index]", HTMLCanvasElement, root);
    this.rdq = need("[data-canvas=store]", HTMLCanvasElement, root);
    for (const canvas of [this.index, this.rdq]) onResize(canvas, () => this.update());
    for (const button of findAll("[data-store]", root))
      button.addEventListener("click", () => this.choose(dataOf(button, "store")));
    this.point(this.index, (x, y) => this.entryAt(x, y - HEAD));
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
  entryAt(x, y) {
    const seq = this.scenes.index ? entryAt(this.scenes.index, x, y) : null;
    const { state } = this.session;
    const entries = shownState(state)?.index?.entries ?? [];
    return seq !== null && holding(entries, seq) ? { seq, open: () => this.selection.choose(seq) } : null;
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
    draw("files", () => this.paint());
  }

  paint() {
    const { state } = this.session;
    const queue = shownState(state);
    const index = this.paintIndex(state, queue);
    const chosen = this.recordShown(state, queue);
    const name = this.store ?? chosen?.store ?? busiest(state);
    const store = this.paintStore(state, queue, name);
    act("files, described", () => this.describe(index, store, name));
  }

  /**
   * Describe in words what is drawn, show the bytes of what is chosen.
   * @param {{ note: string, label: string }} index
   * @param {{ note: string, label: string }} store
   * @param {string} name
   */
  describe(index, store, name) {
    const { state } = this.session;
    const queue = shownState(state);
    for (const button of findAll("[data-store]", this.root))
      setAttributes(button, { "aria-pressed": button.dataset.store === name });
    setText(find("[data-index-note]", this.root), index.note);
    setAttributes(this.index, { "aria-label": index.label });
    setText(find("[data-store-note]", this.root), store.note);
    setAttributes(this.rdq, { "aria-label": store.label });
    const at = this.session.behind ? this.session.position : null;
    this.bytes.update({ state, queue, seq: this.selection.chosen, place: this.place, at });
    for (const listener of this.painted) listener();
  }

  /**
   * Where the content of what is chosen is.
   * @param {State} state
   * @param {QueueState | null} queue
   */
  recordShown(state, queue) {
    const { chosen } = this.selection;
    return chosen === null || !queue ? this.place : this.recordOf(state, queue, chosen);
  }

  /**
   * Where a message's content is; for one in delta its number must be known to this page, or its index record.
   * @param {State} state
   * @param {QueueState} queue
   * @param {number} seq
   */
  recordOf(state, queue, seq) {
    const known = recordOf(state, queue, seq);
    if (known || locate(queue, seq)?.place !== "delta") return known;
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
    if (seq !== null && queue) this.pushEntry(spots, state, queue, seq);
    const record = seq === null ? chosen !== false && this.place : queue && this.recordOf(state, queue, seq);
    const { store, name } = this.scenes;
    const box = record && store && record.store === name ? recordSpot(store, record) : null;
    if (box) spots.push(onPage(this.rdq, box, 0));
    return spots;
  }

  /**
   * @param {Box[]} spots
   * @param {State} state
   * @param {QueueState} queue
   * @param {number} seq
   */
  pushEntry(spots, state, queue, seq) {
    const entry = holding(queue.index?.entries || [], seq);
    if (!entry || !this.scenes.index) return;
    const box = entrySpot(this.scenes.index, entryOf(state, seq));
    if (box) spots.push(onPage(this.index, box, HEAD));
    if (entry[N.code] >> 3 === 0) spots.push(onPage(this.index, journalBox(this.index.clientWidth / wide()), 0));
  }

  /** The upper edge of the maps in the window. */
  get top() {
    return this.root.getBoundingClientRect().top;
  }

  /**
   * @param {State} state
   * @param {QueueState | null} queue
   */
  paintIndex(state, queue) {
    const { pen, width, height } = fitCanvas(this.index);
    const name = shownQueue(state);
    const { chosen } = this.selection;
    const open = chosen === null ? null : entryOf(state, chosen).segment;
    const scene = indexScene(state, queue, width, height - HEAD, open);
    this.scenes.index = scene;
    const clock = this.paintClock(pen, width - 12, 9.5, name === null ? undefined : this.session.unsynced.journals[name],
      state.node.settings.queue_sync_interval_ms ?? INDEX_SYNC_MS);
    let free = width - 24;
    if (clock.short && width > 340) {
      write(pen, clock.short, free, 13, { size: 10.5, family: colors.sans, color: colors.ink3, align: "right" });
      free -= pen.measureText(clock.short).width + 10;
    }
    paintJournal(pen, width, scene.journal, free);
    pen.save();
    pen.translate(0, HEAD);
    for (const item of scene.items) (item.folded ? paintFolded : paintSegment)(pen, item);
    pen.restore();
    const live = fill(gettext("%(records)s live records, %(size)s per segment"), {
      records: number(scene.records),
      size: number(scene.size),
    });
    const text = [live, name === null ? "" : goneText(this.session.deletedSegments(name), "idx")].filter(Boolean).join(" · ");
    return {
      note: text,
      label: fill(gettext("Queue index: %(text)s, %(segments)s segments, journal %(journal)s"), {
        text,
        segments: number(scene.segments),
        journal: `${bytes(scene.journal.bytes + scene.journal.buffered)}, ${clock.text}`,
      }),
    };
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {number} x
   * @param {number} y
   * @param {Waiting | undefined} waiting
   * @param {number} periodMs
   */
  paintClock(pen, x, y, waiting, periodMs) {
    const clock = clockOf(waiting, this.session.nowUs, periodMs);
    paintDial(pen, x, y, 6, clock);
    return clock;
  }

  /**
   * Garbage, write buffer and fsync clock, in a column right of the maps.
   * @param {CanvasRenderingContext2D} pen
   * @param {number} x
   * @param {StoreScene} scene
   * @param {Waiting | undefined} waiting
   * @param {number} height
   */
  paintMeters(pen, x, scene, waiting, height) {
    const share = scene.bytes ? scene.garbage / scene.bytes : 0;
    const room = height >= 84;
    if (room)
      paintMeter(pen, x, 0, METERS - 12, { title: gettext("Garbage"), text: `${Math.round(100 * share)}\u2009%`,
        share, mark: 0.5, hatched: true });
    const buffer = { title: gettext("Write buffer"), text: bytes(scene.buffered), share: scene.buffered / scene.buffer };
    paintMeter(pen, x, room ? 30 : 0, METERS - 12, buffer);
    if (height < CLOCK_FITS) return clockOf(waiting, this.session.nowUs, STORE_SYNC_MS);
    const clock = this.paintClock(pen, x + 8, room ? 74 : 42, waiting, STORE_SYNC_MS);
    write(pen, clock.short ?? clock.text, x + 22, room ? 77.5 : 45.5, { size: 10.5, family: colors.sans, color: colors.ink3 });
    return clock;
  }

  /**
   * @param {State} state
   * @param {QueueState | null} queue
   * @param {string} name
   */
  paintStore(state, queue, name) {
    const { pen, width, height } = fitCanvas(this.rdq);
    const meters = width >= WIDE;
    const shown = shownQueue(state);
    /**
     * @param {number} start
     * @param {number} count
     */
    const known = (start, count) => (shown === null ? [] : this.session.numbers.spansOf(shown, start, count));
    const scene = storeScene(state, queue, name, meters ? width - METERS : width, height, known);
    Object.assign(this.scenes, { store: scene, name });
    if (!scene.files.length)
      write(pen, gettext("No message content is on disk yet."), 0, 16, {
        size: 11.5,
        family: colors.sans,
        color: colors.ink3,
      });
    for (const file of scene.files) paintFile(pen, file);
    const waiting = this.session.unsynced.stores[name];
    const clock = meters
      ? this.paintMeters(pen, width - METERS + 12, scene, waiting, height)
      : clockOf(waiting, this.session.nowUs, STORE_SYNC_MS);
    const share = scene.bytes ? Math.round((100 * scene.garbage) / scene.bytes) : 0;
    const text = scene.bytes
      ? fill(gettext("%(bytes)s, %(share)s % garbage"), { bytes: bytes(scene.bytes), share })
      : gettext("empty");
    const folded = scene.folded ? fill(gettext("%(n)s files not shown"), { n: number(scene.folded) }) : "";
    const scale =
      scene.scale < scene.limit
        ? fill(gettext("a bar is %(bytes)s long, a full file %(limit)s"), { bytes: bytes(scene.scale), limit: bytes(scene.limit) })
        : "";
    const note = [text, scale, folded, goneText(scene.gone, "rdq")].filter(Boolean).join(" · ");
    return {
      note,
      label: fill(gettext("Message store: %(text)s, %(files)s files"), {
        text: `${text}, ${clock.text}`,
        files: number(scene.files.length + (scene.folded || 0)),
      }),
    };
  }
}

/**
 * Which files there were once, in words: "0\u20133.idx deleted".
 * @param {Values} gone
 * @param {string} suffix
 */
function goneText(gone, suffix) {
  if (!gone.count) return "";
  const name = gone.count === 1 ? `${gone.first}.${suffix}` : `${gone.first}\u2013${gone.last}.${suffix}`;
  const whole = gone.count === gone.last - gone.first + 1;
  return whole
    ? fill(gettext("%(name)s deleted"), { name })
    : fill(gettext("%(n)s of %(name)s deleted"), { n: number(gone.count), name });
}

/**
 * A box of a canvas in pixels of the window.
 * @param {HTMLCanvasElement} canvas
 * @param {Box} box
 * @param {number} down
 */
function onPage(canvas, { x, y, w, h }, down) {
  const { left, top } = canvas.getBoundingClientRect();
  const scale = wide();
  return { x: left + scale * x, y: top + scale * (y + down), w: scale * w, h: scale * h };
}

/**
 * The store that has something, the persistent one first.
 * @param {State} state
 */
function busiest(state) {
  /** @param {string} name */
  const size = (name) => (state.stores[name]?.files || []).reduce((sum, file) => sum + file[F.file_size], 0);
  return size("transient") > size("persistent") ? "transient" : "persistent";
}
