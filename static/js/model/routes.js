/** The ways of messages as a picture: exchanges, queues, who is joined to what, and the command that joins two of them. Pure. */
import { clientsOf, settingOf } from "./clients.js";
import { DEFAULT_QUEUE, declaredQueues } from "./messages.js";
import { fill, gettext } from "./text.js";

/**
 * @import { RunSnapshot, Values } from "./catalogue/types.js"
 * @import { Client } from "./clients.js"
 */

/** The exchanges that every virtual host has; the first has no name. */
export const PREDECLARED = ["", "amq.direct", "amq.fanout", "amq.topic", "amq.headers", "amq.match"];
const KEYLESS = new Set(["fanout", "headers"]);

/**
 * What joins two things: an id is a kind and a name, "queue:orders".
 * @param {string} kind
 * @param {string} name
 */
export const idOf = (kind, name) => `${kind}:${name}`;

/**
 * {kind, name} of an id.
 * @param {string} id
 */
export function partsOf(id) {
  const at = id.indexOf(":");
  return { kind: id.slice(0, at), name: id.slice(at + 1) };
}

/**
 * The name of an exchange for people.
 * @param {string} name
 */
export const exchangeName = (name) => name || gettext("(default)");

/**
 * The kind of an exchange; the predeclared ones have it in their names.
 * @param {RunSnapshot} state
 * @param {string} exchange
 */
export function typeOf(state, exchange) {
  const known = state.node.exchanges?.[exchange]?.type;
  if (known) return known;
  const named = exchange.replace(/^amq\./, "");
  return named === "match" ? "headers" : named || "direct";
}

/**
 * Whether an exchange of this name is there.
 * @param {RunSnapshot} state
 * @param {string} name
 */
function isExchange(state, name) {
  return PREDECLARED.includes(name) || name in (state.node.exchanges ?? {});
}

/**
 * {exchanges: [name], queues: [name], wires: [{from, to, key, lost}]} of a state. The default exchange is always shown, another
 * predeclared one where a client uses it. A wire that is `lost` leads to nothing.
 * @param {RunSnapshot} state
 */
export function routesOf(state) {
  const queues = declaredQueues(state);
  const { publishers, consumers } = clientsOf(state);
  const bindings = (state.node.bindings ?? []).filter(({ exchange }) => exchange);
  const used = [...publishers.map((each) => each.exchange ?? ""), ...bindings.map((each) => each.exchange)];
  const exchanges = [
    ...new Set(["", ...Object.keys(state.node.exchanges ?? {}), ...PREDECLARED.filter((name) => used.includes(name))]),
  ];
  const wires = [];
  const defaults = new Set();
  for (const client of publishers) {
    const exchange = client.exchange ?? "";
    const there = exchanges.includes(exchange);
    wires.push({ from: idOf("publisher", client.name), to: idOf("exchange", exchange), key: client.routing_key ?? "", lost: !there });
    if (exchange === "") defaults.add(client.routing_key ?? DEFAULT_QUEUE);
  }
  for (const name of defaults)
    if (queues.includes(name)) wires.push({ from: idOf("exchange", ""), to: idOf("queue", name), key: name, lost: false });
  for (const { exchange, queue, routing_key: key, to } of bindings)
    wires.push({ from: idOf("exchange", exchange), to: idOf(to ?? "queue", queue), key, lost: false });
  for (const client of consumers)
    wires.push({ from: idOf("queue", client.queue ?? DEFAULT_QUEUE), to: idOf("consumer", client.name), key: "", lost: false });
  return { exchanges, queues, wires };
}

/**
 * The key under which a queue is bound by hand: the one that publishers of the exchange use, else the queue's own name.
 * @param {RunSnapshot} state
 * @param {string} exchange
 * @param {string} queue
 */
function keyFor(state, exchange, queue) {
  if (KEYLESS.has(typeOf(state, exchange))) return "";
  const feeding = clientsOf(state).publishers.find((each) => each.exchange === exchange && each.routing_key);
  return feeding?.routing_key ?? queue;
}

/** @typedef {{ command: Values, text: string }} Step what changes the way of the messages, and what it does in words */

/**
 * {command, text} that joins two things in either direction, or {problem} in words where they cannot be joined.
 * @param {RunSnapshot} state
 * @param {string} one
 * @param {string} other
 * @returns {Step | { problem: string }}
 */
export function joining(state, one, other) {
  const ends = [one, other].map(partsOf);
  /** @param {string} kind */
  const find = (kind) => ends.find((each) => each.kind === kind)?.name;
  /**
   * @param {"publishers" | "consumers"} list
   * @param {string} name
   */
  const client = (list, name) =>
    /** @type {Client} */ (clientsOf(state)[list].find((each) => each.name === name));
  const [publisher, exchange, queue, consumer] = ["publisher", "exchange", "queue", "consumer"].map(find);
  if (publisher !== undefined && queue !== undefined)
    return {
      command: settingOf(client("publishers", publisher), { exchange: "", routing_key: queue }),
      text: fill(gettext("%(publisher)s publishes to %(queue)s"), { publisher, queue }),
    };
  if (publisher !== undefined && exchange !== undefined)
    return {
      command: settingOf(client("publishers", publisher), { exchange }),
      text: fill(gettext("%(publisher)s publishes to exchange %(exchange)s"), { publisher, exchange: exchangeName(exchange) }),
    };
  if (queue !== undefined && consumer !== undefined)
    return {
      command: settingOf(client("consumers", consumer), { queue }),
      text: fill(gettext("%(consumer)s consumes from %(queue)s"), { consumer, queue }),
    };
  if (exchange === "" && queue !== undefined)
    return { problem: gettext("The default exchange already leads to every queue by its name; nothing is bound to it.") };
  if (exchange !== undefined && queue !== undefined) {
    const key = keyFor(state, exchange, queue);
    const bound = (state.node.bindings ?? []).some(
      (each) => each.exchange === exchange && each.queue === queue && each.routing_key === key,
    );
    if (bound) return { problem: fill(gettext("%(queue)s is bound to %(exchange)s already."), { queue, exchange }) };
    return {
      command: { do: "bind", exchange, queue, routing_key: key },
      text: key
        ? fill(gettext("%(queue)s is bound to %(exchange)s with the key %(key)s"), { queue, exchange, key })
        : fill(gettext("%(queue)s is bound to %(exchange)s"), { queue, exchange }),
    };
  }
  return { problem: gettext("These two cannot be joined: publishers lead to exchanges, exchanges to queues, queues to consumers.") };
}

/**
 * What a thing can be joined to: [{id, command, text}].
 * @param {RunSnapshot} state
 * @param {string} id
 */
export function joinsOf(state, id) {
  const { exchanges, queues } = routesOf(state);
  const { publishers, consumers } = clientsOf(state);
  const every = [
    ...publishers.map(({ name }) => idOf("publisher", name)),
    ...exchanges.map((name) => idOf("exchange", name)),
    ...queues.map((name) => idOf("queue", name)),
    ...consumers.map(({ name }) => idOf("consumer", name)),
  ];
  const joined = new Set(routesOf(state).wires.flatMap(({ from, to }) => (from === id ? [to] : to === id ? [from] : [])));
  return every
    .filter((other) => other !== id && !joined.has(other))
    .flatMap((other) => {
      const found = joining(state, id, other);
      return "command" in found ? [{ id: other, ...found }] : [];
    });
}

/**
 * The bindings of a thing that can be taken away: [{command, text}].
 * @param {RunSnapshot} state
 * @param {string} id
 */
export function partingsOf(state, id) {
  const { kind, name } = partsOf(id);
  if (kind !== "exchange" && kind !== "queue") return [];
  return (state.node.bindings ?? [])
    .filter((each) => each.exchange && each[kind] === name && (each.to ?? "queue") === "queue")
    .map(({ exchange, queue, routing_key: key, arguments: given }) => ({
      command: { do: "unbind", exchange, queue, routing_key: key, ...(given && Object.keys(given).length ? { arguments: given } : {}) },
      text: fill(gettext("Unbind %(queue)s from %(exchange)s"), { queue, exchange }),
    }));
}

/**
 * Why a bind would fail, by field, or null: the broker closes the channel for it, which a form need not.
 *
 * @param {RunSnapshot} state
 * @param {{ exchange: string, queue: string }} fields of the form
 */
export function bindProblem(state, { exchange, queue }) {
  if (!isExchange(state, exchange))
    return { field: "exchange", text: fill(gettext("There is no exchange %(name)s. Declare it first."), { name: exchange }) };
  if (!declaredQueues(state).includes(queue))
    return { field: "queue", text: fill(gettext("There is no queue %(name)s. Declare it first."), { name: queue }) };
  return null;
}

const RATES = [1, 2, 5];

/**
 * The next rate of 1, 2, 5, 10, 20, ... above (1) or below (-1) a rate.
 * @param {number} rate
 * @param {number} direction
 * @param {number} most
 */
export function nextRate(rate, direction, most) {
  const steps = [];
  for (let power = 1; power <= most; power *= 10) for (const each of RATES) if (each * power <= most) steps.push(each * power);
  if (steps.at(-1) !== most) steps.push(most);
  const found = direction > 0 ? steps.find((each) => each > rate) : steps.findLast((each) => each < rate);
  return found ?? (direction > 0 ? most : 1);
}

/**
 * The rate that a pull of so many pixels makes of another: each 60 pixels double it, to two digits.
 * @param {number} rate
 * @param {number} pixels
 * @param {number} most
 */
export function pulledRate(rate, pixels, most) {
  const moved = rate * 2 ** (pixels / 60);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, moved))) - 1);
  return Math.max(1, Math.min(most, Math.round(moved / unit) * unit));
}
