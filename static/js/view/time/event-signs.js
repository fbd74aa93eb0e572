/** How the events of a run are marked on the charts: a sign, a tone and a name; small ones have no name. */
import { gettext } from "../../model/text.js";

/**
 * type -> [sign, tone, name].
 * @type {Record<string, [sign: string, tone: string, name: () => string]>}
 */
export const SIGNS = {
  paging: ["\u25bc", "beta", () => gettext("paging begins")],
  beta: ["\u25d2", "beta", () => gettext("first \u03b2")],
  out: ["\u25bd", "beta", () => gettext("paged out")],
  delta: ["\u25c6", "delta", () => gettext("first \u03b4")],
  read: ["\u2261", "gamma", () => gettext("segment read")],
  load: ["\u21e1", "delta", () => gettext("load")],
  drained: ["\u25cb", "alpha-t", () => gettext("drained")],
  memory: ["\u25b2", "alarm", () => gettext("memory alarm")],
  disk: ["\u25b2", "alarm", () => gettext("disk alarm")],
  calm: ["\u25b3", "ink2", () => gettext("alarm over")],
  gc: ["\u21c4", "ink2", () => gettext("files combined")],
  compact: ["\u21f2", "ink2", () => gettext("compacted")],
  gone: ["\u2715", "ink3", () => gettext("file deleted")],
  roll: ["\u25aa", "ink3", () => ""],
  fsync: ["\u00b7", "ink3", () => ""],
  crash: ["\u25a0", "alarm", () => gettext("crash")],
  restart: ["\u21bb", "ink2", () => gettext("restart")],
  start: ["\u25b6", "ink2", () => gettext("start")],
};
