/** Definitions as a topology to play with: the parts that were taken, and those that were not, with the reason. */
import { codedWords } from "../../model/inspect-words.js";
import { fill, gettext, number } from "../../model/text.js";
import { el } from "../base/dom.js";

/** @import { TopologyAnswer } from "../../model/inspect-words.js" */

/**
 * @param {TopologyAnswer} answer
 * @param {Record<string, string>} sentences
 * @param {(Node | null)[]} actions
 * @param {(vhost: string) => void} choose takes the name of another virtual host of the file
 */
export function topologyCard({ scenario, vhost, vhosts, left_out: leftOut, left_out_count: leftOutCount }, sentences, actions, choose) {
  const { queues, exchanges, bindings, policies } = scenario.topology;
  const counts = { queues: queues.length, exchanges: exchanges?.length ?? 0, bindings: bindings?.length ?? 0, policies: policies?.length ?? 0 };
  return el("section.card.pad", { "aria-labelledby": "report-heading" },
    el("div.heading", {}, el("h2", { id: "report-heading", tabindex: -1 }, gettext("A topology to play with")), el("span.spacer"), ...actions),
    el("p", {}, fill(gettext("Queues: %(queues)s, exchanges: %(exchanges)s, bindings: %(bindings)s, policies: %(policies)s."), counts)),
    vhosts.length > 1
      ? el("div.vhosts", {}, el("p.mid", {}, fill(gettext("This is virtual host %(vhost)s. A session shows one at a time; the file has others:"), { vhost: vhost ?? "" })),
        el("ul.vhost-choice", {}, ...vhosts.filter(([name]) => name !== vhost).map(([name, count]) =>
          el("li", {}, el("button.btn.small", { type: "button", onclick: () => choose(name) }, el("b.mono", {}, name)), el("span.mid", {}, fill(gettext("queues: %(count)s"), { count: number(count) }))))))
      : null,
    leftOut.length
      ? el("details", { open: "" }, el("summary", {}, fill(gettext("Left out, and why: %(count)s"), { count: number(leftOutCount) })), el("ul", {}, ...leftOut.map(([name, why]) => el("li", {}, el("code", {}, name), `: ${codedWords(why, sentences)}`))))
      : null);
}
