/** Publishers and consumers as things on the page: what each does, and the commands that change it. Pure. */

/** @import { RunSnapshot, Values } from "./catalogue/types.js" */

/** The names that the engine keeps for itself. */
const OWN = new Set(["burst", "hand"]);

/** @typedef {{ name: string } & Values} Client a publisher or a consumer, with its values in the state */

/**
 * The values of an actor that a command which sets it must repeat.
 * @type {Record<string, string[]>}
 */
const KEPT = {
  publisher: ["rate_per_s", "size_bytes", "persistent", "confirm", "tx", "exchange", "routing_key", "mandatory", "expiration_ms", "headers", "properties"],
  consumer: ["rate_per_s", "prefetch", "ack", "queue", "priority", "exclusive", "channel_prefetch", "nack", "tick_ms"],
};

/**
 * {publishers, consumers}: [{name, ...values}], in the order that `order` gives names, then as they came.
 * @param {RunSnapshot} state
 * @param {string[]} [order]
 */
export function clientsOf(state, order = []) {
  /** @type {Record<"publishers" | "consumers", Client[]>} */
  const found = { publishers: [], consumers: [] };
  for (const [name, actor] of Object.entries(state.node.actors || {})) {
    if (OWN.has(name) || !actor) continue;
    const list = actor.role === "publisher" ? found.publishers : actor.role === "consumer" ? found.consumers : null;
    list?.push({ name, ...actor });
  }
  /** @param {Client} client */
  const place = ({ name }) => (order.includes(name) ? order.indexOf(name) : order.length);
  for (const list of Object.values(found)) list.sort((a, b) => place(a) - place(b));
  return found;
}

/**
 * The command that sets an actor as it is, with some changes.
 * @param {Client} client
 * @param {Values} [changes]
 */
export function settingOf(client, changes = {}) {
  /** @type {Values} */
  const command = { do: client.role === "publisher" ? "set_publisher" : "set_consumer", name: client.name };
  for (const field of KEPT[client.role]) if (client[field] !== undefined && client[field] !== null) command[field] = client[field];
  return { ...command, running: client.state !== "stopped", ...changes };
}

/**
 * The first name that is free: p1, p2, ... or c1, c2, ...
 * @param {Record<string, Values>} actors
 * @param {string} letter
 */
export function freeName(actors, letter) {
  for (let number = 1; ; number += 1) if (!actors[`${letter}${number}`]) return `${letter}${number}`;
}

/**
 * The order of names with one of them moved to where another is.
 * @param {string[]} names
 * @param {string} name
 * @param {string} to
 */
export function moved(names, name, to) {
  const rest = names.filter((each) => each !== name);
  rest.splice(names.indexOf(to), 0, name);
  return rest;
}

/**
 * Lamps of a publisher with confirms: how many of `most` are lit, and how many wait.
 * @param {Values} client
 */
export function lamps({ confirm, unconfirmed = 0, confirmed = 0 }, most = 10) {
  if (!confirm) return null;
  const waits = Math.min(most, unconfirmed);
  return { waits, lit: Math.min(most - waits, confirmed), most };
}

/**
 * Slots of a consumer's window: how many are taken; null where there is no window.
 * @param {Values} client
 */
export function slots({ ack, prefetch = 0, unacked = 0 }, most = 10) {
  if (ack === "auto" || !prefetch) return null;
  const shown = Math.min(most, prefetch);
  return { taken: Math.min(shown, Math.round((shown * Math.min(unacked, prefetch)) / prefetch)), shown };
}

/**
 * What keeps a consumer below its rate: the messages that it may hold at once, where each is on its way for a time (P13);
 * null where it keeps its rate. With one it waits for each message; with more it hands in half while it works on the rest.
 * @param {Values} client
 * @param {number} tripUs microseconds on the way to the client and back
 */
export function prefetchLimit({ role, ack, rate_per_s: rate, prefetch = 0, channel_prefetch: channel = 0 }, tripUs) {
  const limits = [prefetch, channel].filter((each) => each > 0);
  if (role !== "consumer" || ack === "auto" || ack === "manual" || !tripUs || !rate || !limits.length) return null;
  const most = Math.min(...limits);
  const alone = 1e6 / (1e6 / rate + tripUs);
  const perS = Math.floor(most === 1 ? alone : Math.max(alone, (Math.ceil(most / 2) * 1e6) / tripUs));
  return perS < rate ? { most, perS } : null;
}
