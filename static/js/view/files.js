/** The files on their canvases: segments of the index, and the two message stores. */
import { entryAt, indexScene } from "../layout/index-map.js";
import { entrySpot, recordSpot } from "../layout/bytes-spot.js";
import { byteAt, storeScene } from "../layout/store-map.js";
import { entryOf, recordAtByte, recordOf, recordOfNumber, seqOfNumber, storePlan } from "../model/bytes.js";
import { locate } from "../model/messages.js";
import { shownQueue } from "../model/shown.js";
import { holding } from "../model/runs.js";
import { bytes, fill, gettext, number } from "../model/text.js";
import { BytesPanel } from "./bytes.js";
import { fitCanvas, onResize, write } from "./canvas.js";
import { find, findAll, setText } from "./dom.js";
import { journalBox, paintFile, paintFolded, paintJournal, paintSegment } from "./files-paint.js";
import { colors } from "./palette.js";
import { draw } from "./scheduler.js";

const HEAD = 24;

export class FilesView {
  constructor(root, session) {
    this.root = root;
    this.session = session;
    this.store = null;
    this.selected = null;
    this.open = () => {};
    /** Told the seq_id of the bytes that the pointer is over, or null. */
    this.over = () => {};
    /** Called when the maps have been drawn. */
    this.painted = () => {};
    this.scenes = {};
    this.bytes = new BytesPanel(root, JSON.parse(find("#live-data").textContent).urls);
    this.index = find("[data-canvas=index]", root);
    this.rdq = find("[data-canvas=store]", root);
    for (const canvas of [this.index, this.rdq]) onResize(canvas, () => this.update());
    for (const button of findAll("[data-store]", root))
      button.addEventListener("click", () => this.choose(button.dataset.store));
    this.point(this.index, (x, y) => this.entryAt(x, y - HEAD));
    this.point(this.rdq, (x, y) => this.recordAt(x, y));
  }

  /** Clicks on a map choose the message whose bytes are there; `hit` answers with {seq, open}, or null. */
  point(canvas, hit) {
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return hit(event.clientX - box.left, event.clientY - box.top);
    };
    canvas.addEventListener("pointermove", (event) => {
      const found = at(event);
      canvas.classList.toggle("points", Boolean(found));
      this.over(found?.seq ?? null);
    });
    canvas.addEventListener("pointerleave", () => this.over(null));
    canvas.addEventListener("click", (event) => at(event)?.open());
  }

  entryAt(x, y) {
    const seq = this.scenes.index ? entryAt(this.scenes.index, x, y) : null;
    const { state } = this.session;
    const entries = state.queues[shownQueue(state)]?.index?.entries || [];
    return seq !== null && holding(entries, seq) ? { seq, open: () => this.open(seq) } : null;
  }

  recordAt(x, y) {
    const hit = this.scenes.store ? byteAt(this.scenes.store, x, y) : null;
    const record = hit && recordAtByte(this.session.state, this.scenes.name, hit.file, hit.at);
    return record ? { seq: this.seqOf(record), open: () => this.openRecord(record) } : null;
  }

  /** The seq_id of a record's message as far as the page knows it. */
  seqOf(record) {
    if (!record.refs) return null;
    const { state, numbers } = this.session;
    const name = shownQueue(state);
    const queue = state.queues[name];
    const told = numbers.seqOf(name, record.msgNo);
    return seqOfNumber(queue, record.msgNo) ?? (told !== null && queue && locate(queue, told) ? told : null);
  }

  /** Choose the message of a record: the page knows it, the index file does, or nobody does (garbage). */
  async openRecord(record) {
    let seq = this.seqOf(record);
    if (seq === null && record.refs) {
      const where = { file: `${record.store}:${record.file}`, offset: record.offset, whose: 1 };
      seq = (await this.bytes.records.ask("whose", where))?.record?.seq ?? null;
    }
    this.store = record.store;
    this.open(seq);
    if (seq === null) {
      this.place = record;
      this.update();
    }
  }

  /** The seq_id of the chosen message; choosing one lets go of a place that no message refers to. */
  set selected(seq) {
    this.chosen = seq;
    this.place = null;
  }

  get selected() {
    return this.chosen;
  }

  choose(name) {
    this.store = name;
    this.update();
  }

  update() {
    draw("files", () => this.paint());
  }

  paint() {
    const { state } = this.session;
    const queue = state.queues[shownQueue(state)];
    this.paintIndex(state, queue);
    const chosen = this.recordShown(state, queue);
    const name = this.store ?? chosen?.store ?? busiest(state);
    for (const button of findAll("[data-store]", this.root))
      button.setAttribute("aria-pressed", String(button.dataset.store === name));
    this.paintStore(state, queue, name);
    const at = this.session.behind ? this.session.position : null;
    this.bytes.update({ state, queue, seq: this.selected, place: this.place, at });
    this.painted();
  }

  /** Where the content of what is chosen is. */
  recordShown(state, queue) {
    return this.selected === null || !queue ? this.place : this.recordOf(state, queue, this.selected);
  }

  /** Where a message's content is; for one in delta whoever saw its number knows, or its index record. */
  recordOf(state, queue, seq) {
    const known = recordOf(state, queue, seq);
    if (known || locate(queue, seq)?.place !== "delta") return known;
    const msgNo = this.session.numbers.numberOf(shownQueue(state), seq);
    if (msgNo !== null)
      return recordOfNumber(state, "persistent", msgNo) ?? recordOfNumber(state, "transient", msgNo);
    const { told } = this.bytes;
    return storePlan(state, queue, seq, told?.seq === seq ? told : null).record ?? null;
  }

  /** Boxes of a message's bytes on the maps, in pixels of the window; of what is chosen also where no message is. */
  spotsOf(seq, chosen) {
    const { state } = this.session;
    const queue = state.queues[shownQueue(state)];
    const spots = [];
    if (seq !== null && queue) this.pushEntry(spots, state, queue, seq);
    const record = seq === null ? chosen !== false && this.place : queue && this.recordOf(state, queue, seq);
    const box = record && record.store === this.scenes.name ? recordSpot(this.scenes.store, record) : null;
    if (box) spots.push(onPage(this.rdq, box, 0));
    return spots;
  }

  pushEntry(spots, state, queue, seq) {
    const entry = holding(queue.index?.entries || [], seq);
    if (!entry || !this.scenes.index) return;
    const box = entrySpot(this.scenes.index, entryOf(state, seq));
    if (box) spots.push(onPage(this.index, box, HEAD));
    if (entry[2] >> 3 === 0) spots.push(onPage(this.index, journalBox(this.index.clientWidth), 0));
  }

  /** The upper edge of the maps in the window. */
  get top() {
    return this.root.getBoundingClientRect().top;
  }

  paintIndex(state, queue) {
    const { pen, width, height } = fitCanvas(this.index);
    const open = this.selected === null ? null : entryOf(state, this.selected).segment;
    const scene = indexScene(state, queue, width, height - HEAD, open);
    this.scenes.index = scene;
    paintJournal(pen, width, scene.journal);
    pen.save();
    pen.translate(0, HEAD);
    for (const item of scene.items) item.folded ? paintFolded(pen, item) : paintSegment(pen, item);
    pen.restore();
    const text = fill(gettext("%(records)s live records, %(size)s per segment"), {
      records: number(scene.records),
      size: number(scene.size),
    });
    setText(find("[data-index-note]", this.root), text);
    this.index.setAttribute(
      "aria-label",
      fill(gettext("Queue index: %(text)s, %(segments)s segments, journal %(journal)s"), {
        text,
        segments: number(scene.segments),
        journal: bytes(scene.journal.bytes + scene.journal.buffered),
      }),
    );
  }

  paintStore(state, queue, name) {
    const { pen, width, height } = fitCanvas(this.rdq);
    const scene = storeScene(state, queue, name, width, height);
    Object.assign(this.scenes, { store: scene, name });
    if (!scene.files.length)
      write(pen, gettext("No message content is on disk yet."), 0, 16, {
        size: 11.5,
        family: colors.sans,
        color: colors.ink3,
      });
    for (const file of scene.files) paintFile(pen, file);
    const share = scene.bytes ? Math.round((100 * scene.garbage) / scene.bytes) : 0;
    const text = scene.bytes
      ? fill(gettext("%(bytes)s, %(share)s % garbage"), { bytes: bytes(scene.bytes), share })
      : gettext("empty");
    setText(
      find("[data-store-note]", this.root),
      scene.folded ? `${text}, ${fill(gettext("%(n)s files not shown"), { n: number(scene.folded) })}` : text,
    );
    this.rdq.setAttribute(
      "aria-label",
      fill(gettext("Message store: %(text)s, %(files)s files"), {
        text,
        files: number(scene.files.length + (scene.folded || 0)),
      }),
    );
  }
}

/** A box of a canvas in pixels of the window. */
function onPage(canvas, { x, y, w, h }, down) {
  const { left, top } = canvas.getBoundingClientRect();
  return { x: left + x, y: top + y + down, w, h };
}

/** The store that has something, the persistent one first. */
function busiest(state) {
  const size = (name) => (state.stores[name]?.files || []).reduce((sum, file) => sum + file[1], 0);
  return size("transient") > size("persistent") ? "transient" : "persistent";
}
