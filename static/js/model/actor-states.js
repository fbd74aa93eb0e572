/** The states of publishers and consumers, and the ways in which a queue stops, in the reader's language. */
import { gettext } from "./text.js";

const STATES = {
  running: () => gettext("running"),
  flow: () => gettext("flow"),
  blocking: () => gettext("blocking"),
  blocked: () => gettext("blocked"),
  stopped: () => gettext("stopped"),
};

const STOPS = {
  clean: () => gettext("in order"),
  kill: () => gettext("killed"),
  power: () => gettext("power cut"),
  crash: () => gettext("crashed"),
  deleted: () => gettext("deleted"),
};

/** "blocked" as the reader calls it. */
export const stateName = (state) => STATES[state]?.() ?? state;

/** "power" as the reader calls it. */
export const stopName = (kind) => STOPS[kind]?.() ?? kind;
