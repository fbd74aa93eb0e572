/** The files on their canvases: segments of the index, and the two message stores. */
import { entryAt, indexScene } from "../layout/index-map.js";
import { byteAt, storeScene } from "../layout/store-map.js";
import { entryOf, recordAtByte, recordOf, seqOfNumber, storePlan } from "../model/bytes.js";
import { shownQueue } from "../model/shown.js";
import { holding } from "../model/runs.js";
import { bytes, fill, gettext, number } from "../model/text.js";
import { BytesPanel } from "./bytes.js";
import { fitCanvas, onResize, write } from "./canvas.js";
import { find, findAll, setText } from "./dom.js";
import { paintFile, paintFolded, paintJournal, paintSegment, ringEntry, ringRecord } from "./files-paint.js";
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
    this.scenes = {};
    this.bytes = new BytesPanel(root, JSON.parse(find("#live-data").textContent).urls);
    this.index = find("[data-canvas=index]", root);
    this.rdq = find("[data-canvas=store]", root);
    for (const canvas of [this.index, this.rdq]) onResize(canvas, () => this.update());
    for (const button of findAll("[data-store]", root))
      button.addEventListener("click", () => this.choose(button.dataset.store));
    this.point(this.index, (x, y) => this.openEntry(x, y - HEAD));
    this.point(this.rdq, (x, y) => this.openByte(x, y));
  }

  /** Clicks on a map choose the message whose bytes are there; `hit` answers with what to do, or null. */
  point(canvas, hit) {
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return hit(event.clientX - box.left, event.clientY - box.top);
    };
    canvas.addEventListener("pointermove", (event) => canvas.classList.toggle("points", Boolean(at(event))));
    canvas.addEventListener("click", (event) => at(event)?.());
  }

  openEntry(x, y) {
    const seq = this.scenes.index ? entryAt(this.scenes.index, x, y) : null;
    const { state } = this.session;
    const entries = state.queues[shownQueue(state)]?.index?.entries || [];
    return seq !== null && holding(entries, seq) ? () => this.open(seq) : null;
  }

  openByte(x, y) {
    const hit = this.scenes.store ? byteAt(this.scenes.store, x, y) : null;
    const record = hit && recordAtByte(this.session.state, this.scenes.name, hit.file, hit.at);
    return record ? () => this.openRecord(record) : null;
  }

  /** Choose the message of a record: a lane knows it, the index file does (delta), or nobody does (garbage). */
  async openRecord(record) {
    const { state } = this.session;
    let seq = record.refs ? seqOfNumber(state.queues[shownQueue(state)], record.msgNo) : null;
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
    const { behind = false } = this.session;
    this.bytes.update({ state, queue, seq: this.selected, place: this.place, behind });
  }

  /** Where the content of what is chosen is; for a message in delta only its index record can tell. */
  recordShown(state, queue) {
    if (this.selected === null || !queue) return this.place;
    const { told } = this.bytes;
    const known = told?.seq === this.selected ? told : null;
    return recordOf(state, queue, this.selected) ?? storePlan(state, queue, this.selected, known).record ?? null;
  }

  paintIndex(state, queue) {
    const { pen, width, height } = fitCanvas(this.index);
    const scene = indexScene(state, queue, width, height - HEAD);
    this.scenes.index = scene;
    paintJournal(pen, width, scene.journal);
    pen.save();
    pen.translate(0, HEAD);
    for (const item of scene.items) item.folded ? paintFolded(pen, item) : paintSegment(pen, item);
    if (this.selected !== null) ringEntry(pen, scene, entryOf(state, this.selected));
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
    const record = this.recordShown(state, queue);
    if (record?.store === name) ringRecord(pen, scene, record);
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

/** The store that has something, the persistent one first. */
function busiest(state) {
  const size = (name) => (state.stores[name]?.files || []).reduce((sum, file) => sum + file[1], 0);
  return size("transient") > size("persistent") ? "transient" : "persistent";
}
