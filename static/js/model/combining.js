/** One combination of two store files, put together from its transitions: before, each step, after (S180-S185). */
import { STORE_FILE as F, STORE_ROW as S } from "./catalogue/rows.js";
import { bytesOfRow, lowestByte } from "./stretches.js";

/**
 * @import { AnyTransition, RunSnapshot, Values } from "./catalogue/types.js"
 * @import { History } from "./history.js"
 */

const KINDS = new Set(["CombineStarted", "CombineStepped", "FilesCombined"]);

/**
 * A combination of two files, put together from its transitions.
 * @typedef {{ store: string, source: number, destination: number, why: Values, started: number, steps: { step: string, bytes: number, number: number }[], done: { bytes: number, reclaimed: number, number: number } | null }} Combination
 */

/** @typedef {NonNullable<ReturnType<typeof fileAt>>} FileThen a store file at a moment */

/**
 * The two files of a transition that belongs to a combination; null for others.
 * @param {AnyTransition} t
 * @returns {{ store: string, source: number, destination: number } | null}
 */
function pairOf({ kind, store, source, destination }) {
  if (!KINDS.has(kind) || store === undefined || typeof source !== "number" || destination === undefined) return null;
  return { store, source, destination };
}

/**
 * The combination to which transition `number` of a history belongs, or null: {store, source, destination, why, started,
 * steps: [{step, bytes, number}], done: {bytes, reclaimed, number} or null}.
 * @param {History} past
 * @param {number} number
 * @param {AnyTransition} t
 */
export function combinationAt(past, number, t) {
  const pair = pairOf(t);
  const started =
    pair && past.lastBefore(number + 1, (each) => each.kind === "CombineStarted" && same(pair, each));
  if (!started) return null;
  /** @type {Combination} */
  const found = { ...pair, why: /** @type {AnyTransition} */ (started.t).why ?? {}, started: started.number, steps: [], done: null };
  for (const { number: at, t: each } of past.rowsFrom(started.number)) {
    if (!same(pair, each)) continue;
    if (each.kind === "CombineStepped") found.steps.push({ step: each.step, bytes: each.bytes, number: at });
    if (each.kind !== "FilesCombined") continue;
    found.done = { bytes: each.size_bytes, reclaimed: each.reclaimed_bytes, number: at };
    break;
  }
  return found;
}

/**
 * @param {NonNullable<ReturnType<typeof pairOf>>} pair
 * @param {AnyTransition} t
 */
function same(pair, t) {
  const other = pairOf(t);
  return (
    other !== null &&
    other.store === pair.store &&
    other.source === pair.source &&
    other.destination === pair.destination
  );
}

/**
 * A store file at a moment: {number, size, valid, live: [[offset, bytes], ...]}, neighbours merged; or null.
 * @param {RunSnapshot} state
 * @param {string} store
 * @param {number} number
 */
export function fileAt(state, store, number) {
  const file = state.stores[store]?.files.find((row) => row[F.number] === number);
  if (!file) return null;
  const live = state.stores[store].rows
    .filter((row) => row[S.file] === number && row[S.refs] > 0)
    .map((row) => [lowestByte(row), bytesOfRow(row)])
    .sort((a, b) => a[0] - b[0]);
  /** @type {[offset: number, bytes: number][]} */
  const merged = [];
  for (const [offset, bytes] of live) {
    const last = merged[merged.length - 1];
    if (last && last[0] + last[1] === offset) last[1] += bytes;
    else merged.push([offset, bytes]);
  }
  return { number, size: file[F.file_size], valid: file[F.valid], live: merged };
}
