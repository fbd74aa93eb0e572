/**
 * A store of 4.x compacts a file in place: records move from its end into its gaps (W142). They are drawn on their way, as the
 * folded state has them at their new places at once.
 */
import { STORE_ROW as S } from "../../model/catalogue/rows.js";
import { recordBytes } from "../../model/columns.js";
import { bytesOfRow, offsetOf } from "../../model/stretches.js";
import { colors } from "../base/colors.js";
import { ease } from "../base/scheduler.js";

/**
 * @import { Box } from "../../layout/geometry.js"
 * @import { StoreScene } from "../../layout/store-map.js"
 * @import { StoreRow, RunSnapshot, Transition, TransitionOf } from "../../model/catalogue/types.js"
 *
 * A record on its way inside a file: from byte to byte; it starts `wait` ms after the first one.
 * @typedef {{ store: string, file: number, from: number, to: number, bytes: number, start: number, wait: number }} Move
 */

export const MOVE_MS = 620;
/** Where nothing may travel, old and new place stand beside each other for so long. */
export const STAND_MS = 1800;
const STAGGER_MS = 90;
/** All are on their way within so many times the stagger. */
const SINGLY = 12;
const LIFT = 7;

export class RecordMoves {
  /**
   * `calm()` returns whether nothing may travel.
   * @param {() => boolean} calm
   */
  constructor(calm) {
    this.calm = calm;
    /** @type {Move[]} */
    this.list = [];
    /** @type {Map<string, StoreRow[]>} the records of a locked file, as they lay before the collector moved any */
    this.before = new Map();
  }

  /** Another moment or another store is shown: nothing is on its way. */
  clear() {
    this.list = [];
    this.before.clear();
  }

  /**
   * A transition was folded: a lock says which file is looked at, what follows which of its records moved.
   * @param {Transition} t
   * @param {RunSnapshot} state after it
   * @param {number} now
   */
  observe(t, state, now) {
    if (t.kind === "FileLocked") this.locked(t, state);
    if (t.kind === "RowsMoved") this.moved(t, now);
  }

  /**
   * @param {TransitionOf<"FileLocked">} t
   * @param {RunSnapshot} state
   */
  locked({ store, file, locked }, state) {
    const key = `${store}:${file}`;
    if (!locked) this.before.delete(key);
    else this.before.set(key, state.stores[store].rows.filter((row) => row[S.file] === file).map((row) => /** @type {StoreRow} */ (row.slice())));
  }

  /**
   * @param {TransitionOf<"RowsMoved">} t
   * @param {number} now
   */
  moved({ store, rows }, now) {
    rows.forEach(([msgNo, count, file, offset], at) => {
      const row = this.before.get(`${store}:${file}`)?.find((each) => msgNo >= each[S.start] && msgNo < each[S.start] + each[S.count]);
      if (!row) return;
      const whole = bytesOfRow(row);
      const bytes = count === row[S.count] ? whole : recordBytes(row[S.record_bytes], msgNo, count);
      const wait = STAGGER_MS * Math.min(SINGLY, rows.length - 1) * (rows.length > 1 ? at / (rows.length - 1) : 0);
      this.list.push({ store, file, from: offsetOf(row, msgNo - row[S.start]), to: offset, bytes, start: now, wait });
    });
  }

  /**
   * Where those that are on their way are drawn now: the place they left, the one they go to, and they themselves.
   * @param {StoreScene} scene
   * @param {string} store
   * @param {number} now
   * @returns {{ from: Box, to: Box, at: Box }[]}
   */
  boxes(scene, store, now) {
    const calm = this.calm();
    this.list = this.list.filter((move) => now - move.start < (calm ? STAND_MS : MOVE_MS + move.wait));
    const found = [];
    for (const move of this.list) {
      const item = scene.files.find((each) => each.number === move.file);
      if (!item || move.store !== store) continue;
      const perByte = item.w / scene.scale;
      /** @type {(offset: number) => Box} */
      const box = (offset) => ({ x: Math.min(item.x + offset * perByte, item.x + item.w), y: item.y, w: Math.max(2, move.bytes * perByte), h: item.h });
      const [from, to] = [box(move.from), box(move.to)];
      const share = calm ? 1 : ease((now - move.start - move.wait) / MOVE_MS);
      const lift = calm ? 0 : LIFT * Math.sin(Math.PI * share);
      found.push({ from, to, at: { ...to, x: from.x + (to.x - from.x) * share, y: item.y - lift } });
    }
    return found;
  }

  /**
   * Draw them over the map of a store; returns whether any is on its way.
   * @param {CanvasRenderingContext2D} pen
   * @param {StoreScene} scene
   * @param {string} store
   * @param {number} now
   */
  paint(pen, scene, store, now) {
    const boxes = this.boxes(scene, store, now);
    for (const { from, to, at } of boxes) {
      outline(pen, from, colors.ink3);
      if (at.x !== to.x) {
        pen.fillStyle = colors.card;
        pen.fillRect(to.x, to.y, to.w, to.h);
        outline(pen, to, colors.ink);
      }
      arc(pen, from, to);
      pen.fillStyle = colors.gamma;
      pen.fillRect(at.x, at.y, at.w, at.h);
      pen.strokeStyle = colors.ink;
      pen.lineWidth = 1;
      pen.strokeRect(at.x + 0.5, at.y + 0.5, Math.max(0.5, at.w - 1), at.h - 1);
    }
    return boxes.length > 0;
  }
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Box} box
 * @param {string} color
 */
function outline(pen, { x, y, w, h }, color) {
  pen.strokeStyle = color;
  pen.lineWidth = 1;
  pen.setLineDash([2, 2]);
  pen.strokeRect(x + 0.5, y + 0.5, Math.max(0.5, w - 1), h - 1);
  pen.setLineDash([]);
}

/**
 * The way of a record, with a point where it ends.
 * @param {CanvasRenderingContext2D} pen
 * @param {Box} from
 * @param {Box} to
 */
function arc(pen, from, to) {
  const [start, end] = [from.x + from.w / 2, to.x + to.w / 2];
  pen.strokeStyle = colors.ink;
  pen.lineWidth = 1.2;
  pen.beginPath();
  pen.moveTo(start, from.y);
  pen.quadraticCurveTo((start + end) / 2, from.y - 2 * LIFT, end, to.y);
  pen.stroke();
  pen.fillStyle = colors.ink;
  pen.beginPath();
  pen.moveTo(end - 3, to.y - 4);
  pen.lineTo(end + 4, to.y - 3);
  pen.lineTo(end, to.y + 2);
  pen.fill();
}
