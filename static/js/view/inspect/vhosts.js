/** Files of several virtual hosts: what is in each, and the choice of one. */
import { fill, gettext, number } from "../../model/text.js";
import { el } from "../base/dom.js";

/** @import { VhostRow } from "../../model/inspect-words.js" */

/** @param {VhostRow} row */
function about({ queues, live, damage }) {
  const found = damage ? fill(gettext("damage: %(count)s"), { count: number(damage) }) : gettext("no damage");
  return `${fill(gettext("queues: %(queues)s, live records: %(live)s"), { queues: number(queues), live: number(live) })}, ${found}`;
}

/**
 * A card with a button for each; `choose` takes the directory of the one that is meant.
 * @param {VhostRow[]} rows
 * @param {(dir: string) => void} choose
 */
export function vhostsCard(rows, choose) {
  return el("section.card.pad.vhosts", {},
    el("h2", { tabindex: -1 }, gettext("Which virtual host?")),
    el("p.mid", {}, fill(gettext("These files belong to %(n)s virtual hosts, and a broker starts each separately. Choose one; to see another, choose Read others beside its report."), { n: number(rows.length) })),
    el("ul.vhost-choice", {}, ...rows.map((row) =>
      el("li", {}, el("button.btn", { type: "button", onclick: () => choose(row.dir) }, el("b.mono", {}, row.name ?? row.dir)), el("span.mid", {}, about(row))))));
}
