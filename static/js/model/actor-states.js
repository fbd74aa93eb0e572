/** The states of publishers and consumers, and the ways in which a queue stops, in the reader's language. */
import { gettext } from "./text.js";

/** @type {Record<string, () => string>} */
const STATES = {
  running: () => gettext("running"),
  flow: () => gettext("flow"),
  blocking: () => gettext("blocking"),
  blocked: () => gettext("blocked"),
  stopped: () => gettext("stopped"),
};

/** @type {Record<string, () => string>} */
const SENTENCES = {
  running: () => gettext("%(actor)s is running"),
  flow: () => gettext("%(actor)s waits for credit, in state flow"),
  blocking: () => gettext("An alarm is set: %(actor)s is blocked as soon as it publishes, and in state blocking until then"),
  blocked: () => gettext("%(actor)s is blocked by an alarm"),
  stopped: () => gettext("%(actor)s has stopped"),
};

/** @type {Record<string, () => string>} */
const STOPS = {
  clean: () => gettext("in order"),
  kill: () => gettext("killed"),
  power: () => gettext("power cut"),
  crash: () => gettext("crashed"),
  deleted: () => gettext("deleted"),
};

/**
 * "blocked" as the reader calls it.
 * @param {string} state
 */
export const stateName = (state) => STATES[state]?.() ?? state;

/**
 * What a publisher or consumer does in a state, as a sentence with its name.
 * @param {string} state
 */
export const actorState = (state) => SENTENCES[state]?.() ?? `%(actor)s: ${state}`;

/**
 * "power" as the reader calls it.
 * @param {string} kind
 */
export const stopName = (kind) => STOPS[kind]?.() ?? kind;
