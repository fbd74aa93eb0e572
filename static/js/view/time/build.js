/** The dock and what belongs to it, in order: charts, the slider over them, the transport bar, "run until", the moment. */
import { need } from "../base/dom.js";
import { ChartsView } from "./charts.js";
import { PastNotice } from "./past-notice.js";
import { Scrubber } from "./scrubber.js";
import { TransportBar } from "./transport-bar.js";
import { UntilBar } from "./until.js";

/** @import { Live } from "../base/live.js" */

/**
 * Build the room from what the page shares.
 * @param {Live} live
 */
export function buildTime({ root, playhead, engine, alerts, host, past }) {
  const dock = need("#dock");
  const charts = new ChartsView(dock, playhead);
  const scrubber = new Scrubber(dock, playhead, charts, host.ahead ? engine : null);
  const bar = new TransportBar(dock, playhead, engine, alerts);
  const until = new UntilBar(dock, playhead, engine, alerts, past);
  const moment = new PastNotice(root, playhead);
  return { charts, scrubber, bar, until, moment };
}
