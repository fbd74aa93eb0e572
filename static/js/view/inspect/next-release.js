/** What of definitions or of a configuration today's releases refuse, or take without effect: a table. */
import { NEXT, fateWords, insteadWords } from "../../model/next-release-words.js";
import { fill, gettext, ngettext, number } from "../../model/text.js";
import { el } from "../base/dom.js";
import { table } from "./tables.js";
import { folded } from "./verdict.js";

/** @import { NextRow } from "../../model/next-release-words.js" */

/** @param {NextRow} row */
function where({ names, count }) {
  const more = count > names.length ? fill(gettext("and %(n)s more"), { n: number(count - names.length) }) : "";
  return [...names.map((name) => el("code.line", {}, name)), more];
}

/** @param {NextRow[]} rows */
export function nextReleases(rows) {
  if (!rows.length) return null;
  const refused = rows.filter(({ fates }) => fates.includes("refused")).length;
  return folded(fill(gettext("What 4.x does with each entry (%(n)s)"), { n: number(rows.length) }), el("section.next-releases", { "aria-labelledby": "next-heading" },
    el("h3", { id: "next-heading" }, gettext("What would RabbitMQ 4.x do with it?")),
    el("p", {}, refused
      ? fill(ngettext("4.x refuses %(n)s kind of entry here. Remove it before the upgrade.", "4.x refuses %(n)s kinds of entries here. Remove them before the upgrade.", refused), { n: number(refused) })
      : gettext("Nothing here is refused. The table says what becomes of each entry.")),
    table(gettext("What today's releases do with each entry"),
      [[gettext("Key")], ...NEXT.map((release) => /** @type {[string]} */ ([release])), [gettext("What takes its place")], [gettext("Where it stands")]],
      rows.map((row) => [row.key, ...row.fates.map((fate) => fateWords(fate, row.place)), insteadWords(row.instead), where(row)]))));
}
