/** Definitions as a topology to play with: the parts that were taken, and those that were not, with the reason. */
import { fill, gettext, number } from "../../model/text.js";
import { el } from "../base/dom.js";
import { importRows } from "../../model/next-release-words.js";
import { nextReleases } from "./next-release.js";
import { answerTable, leftOut } from "./verdict.js";

/** @import { TopologyAnswer } from "../../model/inspect-words.js" */

/**
 * @param {TopologyAnswer} answer
 * @param {Record<string, string>} sentences
 * @param {(Node | null)[]} actions
 */
export function topologyCard({ scenario, vhosts, left_out: named, left_out_count: count, next, outcomes }, sentences, actions) {
  const every = scenario ? [scenario.topology, ...(scenario.topology.vhosts ?? [])] : [];
  const counts = Object.fromEntries(["queues", "exchanges", "bindings", "policies"].map((table) => [table, every.reduce((sum, each) => sum + (each[table]?.length ?? 0), 0)]));
  return el("section.card.pad.inspect-report", { "aria-labelledby": "report-heading" },
    el("div.heading", {}, el("h2", { id: "report-heading", tabindex: -1 }, gettext("What these definitions do")), el("span.spacer"), ...actions),
    answerTable(importRows(outcomes), gettext("What an import of these definitions does"), [gettext("Import by"), gettext("Is all of it taken?"), gettext("Queues that are there"), gettext("What to do first")]),
    nextReleases(next),
    el("p", {}, scenario ? fill(gettext("Queues: %(queues)s, exchanges: %(exchanges)s, bindings: %(bindings)s, policies: %(policies)s."), counts) : gettext("None of its queues is played here, so there is no session to open.")),
    vhosts.length > 1
      ? el("div.vhosts", {}, el("p.mid", {}, gettext("The session has these virtual hosts, and shows one at a time:")),
        el("ul.vhost-choice", {}, ...vhosts.map(([name, queues]) =>
          el("li", {}, el("b.mono", {}, name), el("span.mid", {}, fill(gettext("queues: %(count)s"), { count: number(queues) }))))))
      : null,
    leftOut(named, count, sentences));
}
