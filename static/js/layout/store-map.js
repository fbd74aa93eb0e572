/** A message store as a picture: each .rdq file a bar, its records as blocks, garbage where nothing refers to them. */
import { STORE_FILE as F, STORE_ROW as S } from "../model/catalogue/rows.js";
import { recordBytes } from "../model/columns.js";
import { bytesOfRow, lowestByte, offsetOf } from "../model/stretches.js";
import { goneBelow } from "./gone.js";
import { cut, toneByMessage } from "./tones.js";

/**
 * @import { StoreFile, QueueSnapshot, StoreRow, RunSnapshot, StoreSnapshot, Values } from "../model/catalogue/types.js"
 * @import { Box } from "./geometry.js"
 * @import { Tone } from "./tones.js"
 * @import { Collection } from "../model/unsynced.js"
 */

/** A name such as 12.rdq in the small fixed type, and the room behind it. */
const NAME = 52;
const DIGIT = 7.3;
const SHARE = 58;
/** @typedef {{ x: number, w: number, tone: string, refs?: number }} Block a stretch of a bar */

const MAX_BLOCKS = 220;
/** Bars are drawn so many times longer where all files fill less than this part of them. */
const STEP = 8;

/** @typedef {Values & { files: (Values & Box)[] }} StoreScene */

/**
 * The scene of one store: {files, current, garbage, bytes, limit, buffered, scale}: a bar is `scale` bytes long. `known(start, count)` gives the numbers of
 * messages in the counted lane, as far as this page has received them (model/numbers.js).
 * @param {RunSnapshot} state
 * @param {QueueSnapshot | null} queue
 * @param {string} name
 * @param {number} width
 * @param {number} height
 * @param {(start: number, count: number) => [number, number][]} known
 * @param {Collection} [collection] which files a store of 4.x will look at, and cut
 */
export function storeScene(state, queue, name, width, height, known, collection) {
  const store = state.stores[name];
  const limit = state.node.settings.msg_store_file_size_limit || 16 * 1024 * 1024;
  /** @type {StoreScene} */
  const scene = {
    files: [],
    bytes: 0,
    garbage: 0,
    limit,
    buffered: store?.buffered_bytes || 0,
    buffer: state.node.settings.write_buffer_bytes || 1024 * 1024,
    gone: goneBelow([], 0),
    scale: limit,
    folded: null,
  };
  if (!store) return scene;
  scene.gone = goneBelow(
    store.files.map((file) => file[F.number]),
    store.current,
  );
  let largest = 0;
  for (const [, size, valid] of store.files) {
    scene.bytes += size;
    scene.garbage += size - valid;
    largest = Math.max(largest, size);
  }
  scene.scale = scaleOf(limit, largest);
  const barHeight = Math.max(10, Math.min(20, Math.floor(height / Math.max(1, store.files.length)) - 5));
  const capacity = Math.max(2, Math.floor(height / (barHeight + 5)));
  const longest = Math.max(0, ...store.files.map((file) => String(file[F.number]).length)) + ".rdq".length;
  const start = Math.max(NAME, (longest + 1) * DIGIT);
  const bar = { x: start, w: Math.max(40, width - start - SHARE), h: barHeight };
  const rows = rowsByFile(store, new Set(ends(store.files, capacity).map((file) => file[F.number])));
  const { list: tones, otherwise } = queue ? toneByMessage(queue, known) : { list: [], otherwise: "other" };
  ends(store.files, capacity).forEach((file, at) => {
    scene.files.push(
      fileItem(
        store,
        file,
        rows.get(file[F.number]) || [],
        tones,
        otherwise,
        { ...bar, y: at * (barHeight + 5) },
        scene,
      ),
    );
  });
  for (const file of scene.files) {
    file.waits = collection?.files.includes(file.number) ?? false;
    file.toCut = collection?.cut.includes(file.number) ?? false;
  }
  if (store.files.length > capacity) scene.folded = store.files.length - capacity;
  return scene;
}

/**
 * How many bytes a bar is long: a file's limit; less, in whole steps, where all files are so small that they would be invisible.
 * @param {number} limit
 * @param {number} largest
 */
function scaleOf(limit, largest) {
  const whole = Math.max(limit, largest);
  const steps = largest ? Math.ceil(Math.log(whole / largest) / Math.log(STEP)) - 1 : 0;
  return whole / STEP ** Math.max(0, steps);
}

/**
 * The oldest and the newest files, as many as fit.
 * @param {StoreFile[]} files
 * @param {number} capacity
 */
function ends(files, capacity) {
  if (files.length <= capacity) return files;
  const head = Math.ceil(capacity / 2);
  return [...files.slice(0, head), ...files.slice(files.length - (capacity - head))];
}

/**
 * @param {StoreSnapshot} store
 * @param {Set<number>} files
 */
function rowsByFile(store, files) {
  /** @type {Map<number, StoreRow[]>} */
  const found = new Map();
  for (const row of store.rows) {
    if (!files.has(row[S.file])) continue;
    if (!found.has(row[S.file])) found.set(row[S.file], []);
    found.get(row[S.file])?.push(row);
  }
  for (const rows of found.values()) rows.sort((a, b) => lowestByte(a) - lowestByte(b));
  return found;
}

/**
 * @param {StoreSnapshot} store
 * @param {StoreFile} given
 * @param {StoreRow[]} rows
 * @param {Tone[]} tones
 * @param {string} otherwise
 * @param {Box} bar
 * @param {StoreScene} scene
 */
function fileItem(store, [number, size, valid, locked], rows, tones, otherwise, bar, scene) {
  const perByte = bar.w / scene.scale;
  /** @type {Values & Box & { blocks: Block[] }} */
  const item = {
    number,
    size,
    valid,
    locked,
    current: number === store.current,
    ...bar,
    used: size * perByte,
    blocks: [],
  };
  /**
   * @param {number} from
   * @param {number} to
   * @param {string} tone
   */
  const put = (from, to, tone, refs = 1) => {
    if (to > from) item.blocks.push({ x: bar.x + from * perByte, w: (to - from) * perByte, tone, refs });
  };
  let at = 0;
  for (const row of rows) {
    const low = lowestByte(row);
    put(at, low, "garbage");
    for (const [msgNo, count, tone] of row[S.refs] > 0
      ? cut(tones, row[S.start], row[S.count], otherwise)
      : /** @type {Tone[]} */ ([[row[S.start], row[S.count], "garbage"]])) {
      const from = offsetOf(row, row[S.step] > 0 ? msgNo - row[S.start] : msgNo + count - 1 - row[S.start]);
      put(from, from + recordBytes(row[S.record_bytes], msgNo, count), tone, Math.max(1, row[S.refs]));
    }
    at = low + bytesOfRow(row);
  }
  put(at, size, "garbage");
  if (item.current && scene.buffered > 0)
    item.bufferedFrom = bar.x + Math.max(0, size - scene.buffered) * perByte;
  item.record = recordWidth(rows, perByte);
  if (item.blocks.length > MAX_BLOCKS) item.blocks = binned(item.blocks, bar);
  return item;
}

/**
 * Width of one record in pixels where all are alike, so that the drawing can divide a bar by lines.
 * @param {StoreRow[]} rows
 * @param {number} perByte
 */
function recordWidth(rows, perByte) {
  if (!rows.length) return 0;
  const first = rows[0][S.record_bytes];
  return first > 0 && rows.every((row) => row[S.record_bytes] === first) ? first * perByte : 0;
}

/**
 * Too many blocks to draw singly: every two pixels show the tone that covers most of them.
 * @param {Block[]} blocks
 * @param {Box} bar
 */
export function binned(blocks, bar) {
  const bins = Math.floor(bar.w / 2);
  const shares = Array.from({ length: bins }, () => /** @type {Record<string, number>} */ ({}));
  for (const block of blocks) {
    const last = Math.min(bins - 1, Math.floor((block.x + block.w - bar.x) / 2));
    for (let bin = Math.max(0, Math.floor((block.x - bar.x) / 2)); bin <= last; bin += 1) {
      const low = Math.max(block.x, bar.x + bin * 2);
      const high = Math.min(block.x + block.w, bar.x + bin * 2 + 2);
      shares[bin][block.tone] = (shares[bin][block.tone] || 0) + high - low;
    }
  }
  /** @type {Block[]} */
  const found = [];
  shares.forEach((share, bin) => {
    const tone = Object.keys(share).sort((a, b) => share[b] - share[a])[0];
    const last = found[found.length - 1];
    if (!tone) return;
    if (last && last.tone === tone && Math.abs(last.x + last.w - (bar.x + bin * 2)) < 0.01) last.w += 2;
    else found.push({ x: bar.x + bin * 2, w: 2, tone });
  });
  return found;
}

/**
 * The byte of a store file that is at a point of the scene: {file, at}, or null.
 * @param {StoreScene} scene
 * @param {number} x
 * @param {number} y
 */
export function byteAt(scene, x, y) {
  const item = scene.files.find((file) => y >= file.y && y < file.y + file.h);
  if (!item || x < item.x || x >= item.x + item.used) return null;
  return { file: item.number, at: Math.floor(((x - item.x) / item.w) * scene.scale) };
}
