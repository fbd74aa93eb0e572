/** The files on their canvases: segments of the index, and the two message stores. */
import { indexScene } from "../layout/index-map.js";
import { storeScene } from "../layout/store-map.js";
import { entryOf, recordOf } from "../model/bytes.js";
import { firstQueue } from "../model/messages.js";
import { bytes, fill, gettext, number } from "../model/text.js";
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
    this.index = find("[data-canvas=index]", root);
    this.rdq = find("[data-canvas=store]", root);
    for (const canvas of [this.index, this.rdq]) onResize(canvas, () => this.update());
    for (const button of findAll("[data-store]", root))
      button.addEventListener("click", () => this.choose(button.dataset.store));
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
    const queue = state.queues[firstQueue(state)];
    this.paintIndex(state, queue);
    const chosen = this.selected !== null && queue ? recordOf(state, queue, this.selected) : null;
    const name = this.store ?? chosen?.store ?? busiest(state);
    for (const button of findAll("[data-store]", this.root))
      button.setAttribute("aria-pressed", String(button.dataset.store === name));
    this.paintStore(state, queue, name);
  }

  paintIndex(state, queue) {
    const { pen, width, height } = fitCanvas(this.index);
    const scene = indexScene(state, queue, width, height - HEAD);
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
    if (!scene.files.length)
      write(pen, gettext("No message content is on disk yet."), 0, 16, {
        size: 11.5,
        family: colors.sans,
        color: colors.ink3,
      });
    for (const file of scene.files) paintFile(pen, file);
    const record = this.selected !== null && queue ? recordOf(state, queue, this.selected) : null;
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
