/** Where the bytes of a message of version 2 are: its slot in `.qi`, and a small body in `.qs`; or why there are none. */
import { EXTENT as E, HOME_STORE, INDEXED, IN_STORE } from "../../../model/catalogue/rows.js";
import { perFile } from "../../../model/generations.js";
import { locate } from "../../../model/messages.js";
import { shownQueue } from "../../../model/shown.js";
import { holding } from "../../../model/stretches.js";
import { bytes, fill, gettext, number } from "../../../model/text.js";
import { ACKED, BODY as B, ERASED, HOLE, SLOT as S, WAITING, bodyAt } from "./file-rows.js";

/**
 * @import { Plan, SentRecord } from "../../../model/bytes.js"
 * @import { FilesState, QueueSnapshot, RunSnapshot } from "../../../model/catalogue/types.js"
 */

/** What the write buffer of `.qs` may hold where the settings name nothing else (W114). */
const BODIES_BUFFER = 512_000;

/**
 * Where to read a message's slot.
 * @param {RunSnapshot} state
 * @param {QueueSnapshot | null | undefined} queue
 * @param {number} seq
 * @returns {Plan}
 */
export function slotPlan(state, queue, seq) {
  /** @type {FilesState | undefined} */
  const files = queue?.own.files;
  if (!queue || !files) return { why: "gone" };
  const found = locate(queue, seq);
  const slot = holding(files.slots, seq);
  if (slot?.[S.code] === ERASED) return { why: "erased", text: ERASED_SLOT() };
  if (slot?.[S.code] === ACKED && !holding(files.acks, seq)) return { why: "zeroed", text: ZEROED_SLOT() };
  if (holding(files.buffered, seq)) return { why: "buffered", text: bufferedText(files) };
  if (!slot && found?.row && !(found.row[E.flags] & INDEXED)) return { why: "ram" };
  if (!slot && !found) return { why: "gone" };
  const name = shownQueue(state);
  const [, size] = segmentOf(state, queue, seq) ?? [];
  return { question: { queue: name, seq }, key: `${name}:${seq}:slot:${slot?.[S.code]}`, later: `${size}` };
}

/**
 * Where to read a small body; null where the message has its body in the shared store, or nobody knows yet where.
 * @param {RunSnapshot} state
 * @param {QueueSnapshot | null | undefined} queue
 * @param {number} seq
 * @param {SentRecord | null} slot as the host sent it
 * @returns {Plan | null}
 */
export function bodyPlan(state, queue, seq, slot) {
  /** @type {FilesState | undefined} */
  const files = queue?.own.files;
  if (!queue || !files) return null;
  const row = holding(files.places, seq);
  const found = locate(queue, seq)?.row;
  if (row?.[B.code] === HOLE) return { why: "hole", text: HOLE_BODY() };
  if (row?.[B.code] === WAITING) return { why: "waiting", text: waitingText(state, queue) };
  const name = shownQueue(state);
  if (row) {
    return entryPlan(name, segmentNumber(state, queue, seq), slot?.body?.offset ?? bodyAt(row, seq));
  }
  if (slot?.body) return entryPlan(name, Number(slot.body.file.split(":")[1]), slot.body.offset);
  if (!found || found[E.flags] & HOME_STORE) return null;
  return found[E.flags] & IN_STORE ? { why: "unknown", text: gettext("The slot in the index tells where the body is.") } : { why: "ram" };
}

/**
 * @param {string | null} queue
 * @param {number} segment
 * @param {number} offset
 * @returns {Plan}
 */
function entryPlan(queue, segment, offset) {
  return { question: { file: `bodies:${segment}`, offset, queue }, key: `${queue}:${segment}:body:${offset}`, later: "" };
}

/**
 * @param {RunSnapshot} state
 * @param {QueueSnapshot} queue
 * @param {number} seq
 */
const segmentNumber = (state, queue, seq) => Math.floor(seq / perFile(state, queue));

/**
 * The segment of a message: number, bytes of its file, live messages; undefined where there is none.
 * @param {RunSnapshot} state
 * @param {QueueSnapshot} queue
 * @param {number} seq
 */
function segmentOf(state, queue, seq) {
  /** @type {FilesState} */
  const files = queue.own.files;
  const segment = segmentNumber(state, queue, seq);
  return files.segments.find(([each]) => each === segment);
}

const ERASED_SLOT = () =>
  gettext("No slot was ever written: the message was acknowledged while its entry waited in the index's write buffer, and the entry left it again.");
const ZEROED_SLOT = () => gettext("This message is over: its slot was overwritten with 32 zero bytes.");
const HOLE_BODY = () =>
  gettext("Its body was never written: the message was acknowledged while it waited in the write buffer. Its place in the file stays empty.");

/** @param {FilesState} files */
function bufferedText({ buffered, acks }) {
  const items = [...buffered, ...acks].reduce((sum, [, count]) => sum + count, 0);
  return fill(gettext("Still in the index's write buffer, one of %(n)s items: a full buffer writes them, or a sync."), { n: number(items) });
}

/**
 * How many bytes the write buffer of `.qs` holds before it is written (W114, W121).
 * @param {RunSnapshot} state
 * @param {QueueSnapshot} queue
 */
export function bodiesBuffer(state, queue) {
  return (queue.backing_queue === "classic_v2" && state.node.settings.store_max_cache_size) || BODIES_BUFFER;
}

/**
 * @param {RunSnapshot} state
 * @param {QueueSnapshot} queue
 */
function waitingText(state, queue) {
  /** @type {FilesState} */
  const { waiting_bytes: waiting } = queue.own.files;
  return fill(gettext("Still in the write buffer of .qs, %(bytes)s of %(most)s: a full buffer writes it, or a sync."), {
    bytes: bytes(waiting),
    most: bytes(bodiesBuffer(state, queue)),
  });
}
