/** What a later release does with a key of definitions or of a configuration, in words (playground/inspecting/next_release.py). */
import { fill, gettext, ngettext, number } from "./text.js";

/** The releases that are asked, as `fates` has them. */
export const NEXT = ["4.0.5", "4.3.6"];

/** @typedef {{ place: string, key: string, fates: string[], instead: string, names: string[], count: number }} NextRow */

/**
 * What the release does, as real nodes did.
 * @param {string} fate
 * @param {string} place
 */
export function fateWords(fate, place) {
  if (fate === "no_effect") return gettext("accepted, without effect");
  if (fate === "warned") return gettext("accepted, with a warning in the log");
  if (fate === "taken") return gettext("accepted");
  if (fate === "left_out") return gettext("accepted, but the policy applies to no classic queue any more");
  if (fate === "joined") return gettext("accepted, and the policy now applies to classic queues");
  if (place === "configuration") return gettext("refused: the node does not start");
  return place === "queue" ? gettext("refused: the queue is not declared") : gettext("refused: the import ends with an error");
}

/** @typedef {{ target: string, ends: boolean, queues: number | null, of: number, bindings: boolean, refused: number }} ImportOutcome */
/** @import { AnswerRow } from "./verdict-words.js" */

const removed = (/** @type {number} */ count) =>
  count ? fill(ngettext("Remove %(n)s entry that is refused.", "Remove %(n)s entries that are refused.", count), { n: number(count) }) : gettext("nothing");

/**
 * How far each release gets with definitions: the first table of the answer.
 * @param {ImportOutcome[]} outcomes
 * @returns {AnswerRow[]}
 */
export function importRows(outcomes) {
  return outcomes.map(({ target, ends, queues, of, bindings, refused }) => ({
    target: fill(gettext("RabbitMQ %(release)s"), { release: target }),
    starts: ends ? gettext("no: the import ends with an error, and a node that loads the file at its start (load_definitions) does not start") : gettext("yes"),
    back: queues === null ? "?" : `${fill(gettext("%(back)s of %(live)s"), { back: number(queues), live: number(of) })}${bindings ? "" : gettext(", and no binding")}`,
    first: removed(refused),
    tone: ends || (queues !== null && queues < of) ? "bad" : "good",
  }));
}

/**
 * Whether each release starts with a configuration.
 * @param {NextRow[]} rows
 * @returns {AnswerRow[]}
 */
export function configurationRows(rows) {
  return NEXT.map((target, at) => {
    const count = (/** @type {string} */ fate) => rows.filter(({ fates }) => fates[at] === fate).length;
    const refused = count("refused");
    return {
      target: fill(gettext("RabbitMQ %(release)s"), { release: target }),
      starts: refused ? gettext("no: it refuses lines of this file") : gettext("yes, as far as its schemas say"),
      back: number(count("no_effect")),
      first: removed(refused),
      tone: refused ? "bad" : "good",
    };
  });
}

/** @returns {Record<string, string>} */
const instead = () => ({
  mirrors: gettext("Classic mirrors are gone: a quorum queue keeps copies on several nodes (W75)."),
  mode: gettext("Nothing: every queue keeps nearly everything on disk (W39)."),
  version: gettext("Nothing: files are always of version 2 (W2)."),
  locator: gettext("A queue's leader is placed by queue-leader-locator."),
  left_out: gettext("Classic queues lack this key, so none of the policy applies to them: give it a policy of its own, with its limits in another (P17)."),
  joined: gettext("Classic queues have this key now, so all of the policy applies to them, its limits included (P17)."),
  transient_nonexcl_queues: gettext("A durable or an exclusive queue. The feature transient_nonexcl_queues is deprecated: a node on which it is not permitted refuses such a queue, as people report of 4.3.0 to 4.3.5. rabbitmqctl list_deprecated_features says what yours does."),
  paging: gettext("Nothing: no message is paged out, only the memory alarm is left (W70)."),
  gone_key: gettext("Nothing: the release has no such key. Remove the line."),
  amount: gettext("Whole bytes, or digits and a unit: 8589934592, 8GB, 2Gi."),
  other_type: gettext("Nothing: a quorum queue or a stream has no mode, and 3.10.8 refuses it too. Remove the argument."),
});

/**
 * What takes the place of a key.
 * @param {string} code
 */
export function insteadWords(code) {
  return instead()[code] ?? "";
}
