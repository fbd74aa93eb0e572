/** What is shown of a queue beside its messages, in words: one clause for each fact that changed. */
import { clock, decimal, fill, gettext, ngettext, number, span } from "./text.js";

/** @import { Values } from "./catalogue/types.js" */

/** @typedef {(value: Values[string], atUs: number | null) => string} Clause what is said at a moment of a fact with this value; null where it is gone */

/** @param {string[]} names */
const list = (names) => (names.length ? names.join(", ") : gettext("none"));

/**
 * Arguments and what a policy makes of them, under the names that AMQP and policies have for them.
 * @param {Values | null} table
 * @returns {string}
 */
function tableText(table) {
  const entries = Object.entries(table ?? {});
  if (!entries.length) return gettext("none");
  return entries
    .map(([name, value]) => `${name.replaceAll("_", "-")}: ${typeof value === "number" ? number(value) : value === "" ? "\u201c\u201d" : valueText(value)}`)
    .join(", ");
}

/** @type {(value: unknown) => string} */
const valueText = (value) => (Array.isArray(value) ? value.map(String).join(" ") : typeof value === "object" ? tableText(/** @type {Values} */ (value)) : String(value));

/**
 * @param {string} text with %(what)s
 * @param {unknown} what
 */
const said = (text, what) => fill(text, { what });

/** The year 2000 in microseconds of a broker's clock: a time after it comes from a real node's files and is a date. */
const FROM_2000 = 946_684_800e6;

/**
 * When something is due, from the moment at which that is said; on the session's clock where no moment is known.
 * @param {number} us
 * @param {number | null} atUs
 * @param {string} later with %(what)s, how long it lasts
 * @param {string} then with %(what)s, the time of the clock
 */
function due(us, atUs, later, then) {
  if (us >= FROM_2000) return said(then, `${new Date(us / 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`);
  return atUs === null ? said(then, clock(us)) : said(later, span(Math.max(0, us - atUs)));
}

/** @type {Record<string, () => string>} */
const PROCESS = {
  awake: () => gettext("its process is awake"),
  hibernating: () => gettext("its process sleeps"),
  converting: () => gettext("its process converts, and answers nobody"),
};

/** @type {Record<string, Clause>} */
const FACTS = {
  queue_process: (value) => PROCESS[value]?.() ?? gettext("its process is gone"),
  rate_timer_at_us: (value, atUs) =>
    value === null ? gettext("no report is due") : due(value, atUs, gettext("reports in %(what)s"), gettext("reports at %(what)s")),
  reported_duration: (value) =>
    value === null ? gettext("reports that nothing flows") : said(gettext("reports that its messages in RAM last %(what)s s"), decimal(value, 3)),
  desired_duration: (value) =>
    value === null ? gettext("may keep any number in RAM") : said(gettext("is to keep messages for %(what)s s"), decimal(value, 3)),
  policy: (value) => (value === null ? gettext("no policy fits any more") : said(gettext("policy %(what)s"), value)),
  effective: (value) => said(gettext("it obeys: %(what)s"), tableText(value)),
  arguments: (value) => said(gettext("arguments: %(what)s"), tableText(value)),
  auto_delete: (value) => (value ? gettext("goes with its last consumer") : gettext("stays without consumers")),
  exclusive: (value) => (value ? gettext("belongs to one connection") : gettext("is for every connection")),
  ttl_at_us: (value, atUs) =>
    value === null
      ? gettext("no message is going to expire")
      : due(value, atUs, gettext("the next message expires in %(what)s"), gettext("the next message expires at %(what)s")),
  expires_at_us: (value, atUs) =>
    value === null
      ? gettext("the queue itself does not expire")
      : due(value, atUs, gettext("the queue itself expires in %(what)s"), gettext("the queue itself expires at %(what)s")),
  backing_queue: (value) => (value === null ? gettext("the usual kind of queue") : said(gettext("kind of queue: %(what)s"), kindText(value))),
  part_of: (value) => (value === null ? gettext("a queue of its own") : said(gettext("part of %(what)s"), value)),
  priority: (value) => (value === null ? gettext("no priority") : said(gettext("priority %(what)s"), number(value))),
  node: (value) => (value === null ? gettext("on no node") : said(gettext("on node %(what)s"), value)),
  mirrors: (value) => said(gettext("mirrors: %(what)s"), list(value ?? [])),
  synchronised: (value) => said(gettext("synchronised: %(what)s"), list(value ?? [])),
  syncing: (value) => (value ? gettext("its mirrors are being filled") : gettext("its mirrors are not being filled")),
  mirror_of: (value) => (value === null ? gettext("no mirror") : said(gettext("mirror of %(what)s"), value)),
  depth_delta: (value) =>
    value === "unknown"
      ? gettext("nobody knows how much it lacks")
      : value
        ? said(gettext("lacks %(what)s of the master's messages"), number(value))
        : gettext("lacks nothing that the master has"),
  held_copies: (value) => (value ? said(ngettext("holds back %(what)s copy from publishers", "holds back %(what)s copies from publishers", value), number(value)) : gettext("holds back no copy")),
  frozen: (value) => (value ? gettext("takes no instruction while it is filled") : gettext("takes instructions")),
};

/** @type {Record<string, () => string>} */
const KINDS = {
  priority_queue: () => gettext("with priorities"),
  classic_v2: () => gettext("classic, version 2"),
};

/** @param {string} name */
const kindText = (name) => KINDS[name]?.() ?? name.replaceAll("_", " ");

/** The names of all facts that have words. */
export const NAMED = new Set(Object.keys(FACTS));

/**
 * "policy lazy, it obeys: queue-mode: lazy": facts that changed, in words; without those that have none.
 * @param {Values} values
 * @param {number | null} atUs when they changed, where that is known
 */
export function factsText(values, atUs = null) {
  return Object.entries(values)
    .filter(([name]) => NAMED.has(name))
    .map(([name, value]) => FACTS[name](value, atUs))
    .join(gettext("; "));
}
