/** Definitions as a topology to play with: the parts that were taken, and those that were not, with the reason. */
import { codedWords } from "../../model/inspect-words.js";
import { fill, gettext } from "../../model/text.js";
import { el } from "../base/dom.js";

/** @import { TopologyAnswer } from "../../model/inspect-words.js" */

/**
 * @param {TopologyAnswer} answer
 * @param {Record<string, string>} sentences
 * @param {(Node | null)[]} actions
 */
export function topologyCard({ scenario, left_out: leftOut }, sentences, actions) {
  const { queues, exchanges, bindings, policies } = scenario.topology;
  const counts = { queues: queues.length, exchanges: exchanges?.length ?? 0, bindings: bindings?.length ?? 0, policies: policies?.length ?? 0 };
  return el("section.card.pad", { "aria-labelledby": "report-heading" },
    el("div.heading", {}, el("h2", { id: "report-heading", tabindex: -1 }, gettext("A topology to play with")), el("span.spacer"), ...actions),
    el("p", {}, fill(gettext("Queues: %(queues)s, exchanges: %(exchanges)s, bindings: %(bindings)s, policies: %(policies)s."), counts)),
    leftOut.length
      ? el("details", {}, el("summary", {}, gettext("Left out, and why")), el("ul", {}, ...leftOut.map(([name, why]) => el("li", {}, el("code", {}, name), `: ${codedWords(why, sentences)}`))))
      : null);
}
