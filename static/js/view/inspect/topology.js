/** Definitions as a topology to play with: the parts that were taken, and those that were not, with the reason. */
import { codedWords } from "../../model/inspect-words.js";
import { fill, gettext, number } from "../../model/text.js";
import { el } from "../base/dom.js";
import { nextReleases } from "./next-release.js";

/** @import { TopologyAnswer } from "../../model/inspect-words.js" */

/**
 * @param {TopologyAnswer} answer
 * @param {Record<string, string>} sentences
 * @param {(Node | null)[]} actions
 */
export function topologyCard({ scenario, vhosts, left_out: leftOut, left_out_count: leftOutCount, next }, sentences, actions) {
  const every = [scenario.topology, ...(scenario.topology.vhosts ?? [])];
  const counts = Object.fromEntries(["queues", "exchanges", "bindings", "policies"].map((table) => [table, every.reduce((sum, each) => sum + (each[table]?.length ?? 0), 0)]));
  return el("section.card.pad", { "aria-labelledby": "report-heading" },
    el("div.heading", {}, el("h2", { id: "report-heading", tabindex: -1 }, gettext("A topology to play with")), el("span.spacer"), ...actions),
    el("p", {}, fill(gettext("Queues: %(queues)s, exchanges: %(exchanges)s, bindings: %(bindings)s, policies: %(policies)s."), counts)),
    vhosts.length > 1
      ? el("div.vhosts", {}, el("p.mid", {}, gettext("The session has these virtual hosts, and shows one at a time:")),
        el("ul.vhost-choice", {}, ...vhosts.map(([name, count]) =>
          el("li", {}, el("b.mono", {}, name), el("span.mid", {}, fill(gettext("queues: %(count)s"), { count: number(count) }))))))
      : null,
    nextReleases(next),
    leftOut.length
      ? el("details", { open: "" }, el("summary", {}, fill(gettext("Left out, and why: %(count)s"), { count: number(leftOutCount) })), el("ul", {}, ...leftOut.map(([name, why]) => el("li", {}, el("code", {}, name), `: ${codedWords(why, sentences)}`))))
      : null);
}
