/** What a later release does with a key of definitions or of a configuration, in words (playground/inspecting/next_release.py). */
import { gettext } from "./text.js";

/** @typedef {{ place: string, key: string, fates: string[], instead: string, names: string[], count: number }} NextRow */

/**
 * What the release does, as real nodes did.
 * @param {string} fate
 * @param {string} place
 */
export function fateWords(fate, place) {
  if (fate === "no_effect") return gettext("accepted, without effect");
  if (fate === "taken") return gettext("accepted");
  if (fate === "left_out") return gettext("accepted, but the policy applies to no classic queue any more");
  if (fate === "joined") return gettext("accepted, and the policy now applies to classic queues");
  if (place === "configuration") return gettext("refused: the node does not start");
  return place === "queue" ? gettext("refused: the queue is not declared") : gettext("refused: the import ends with an error");
}

/** @returns {Record<string, string>} */
const instead = () => ({
  mirrors: gettext("Classic mirrors are gone: a quorum queue keeps copies on several nodes (W75)."),
  mode: gettext("Nothing: every queue keeps nearly everything on disk (W39)."),
  version: gettext("Nothing: files are always of version 2 (W2)."),
  locator: gettext("A queue's leader is placed by queue-leader-locator."),
  left_out: gettext("Classic queues lack this key, so none of the policy applies to them: give it a policy of its own, with its limits in another (P17)."),
  joined: gettext("Classic queues have this key now, so all of the policy applies to them, its limits included (P17)."),
  paging: gettext("Nothing: no message is paged out, only the memory alarm is left (W70)."),
});

/**
 * What takes the place of a key.
 * @param {string} code
 */
export function insteadWords(code) {
  return instead()[code] ?? "";
}
