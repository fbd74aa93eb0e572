/** What the last failover of a queue did: who is gone, who took over, what is lost and why. */
import { fill, gettext, ngettext, number } from "../../model/text.js";

/** @import { Failover } from "../../model/cluster.js" */

/**
 * The sentences about a failover, empty for none; `found` is what `failoverOf` returns.
 * @param {Failover | null} found
 */
export function failoverText(found) {
  if (!found) return "";
  const { node, master, lost } = found;
  const gone = node ? fill(gettext("%(node)s is gone."), { node }) : "";
  if (found.what === "refused")
    return `${gone} ${gettext(
      "No mirror was synchronised, so ha-promote-on-failure (when-synced) lets none take over. The queue waits for its node, which has everything on its disk.",
    )}`;
  if (found.what === "down")
    return `${gone} ${gettext("No mirror was there to take over. The queue waits for its node; what was only in RAM is lost.")}`;
  const heir = fill(gettext("The oldest living mirror, on %(master)s, is the master now."), { master });
  if (!lost) return `${gone} ${heir} ${gettext("It had everything: nothing is lost.")}`;
  const cost = fill(
    ngettext(
      "%(lost)s message is lost: it was older than this mirror, and nobody had synchronised it.",
      "%(lost)s messages are lost: they were older than this mirror, and nobody had synchronised it.",
      lost,
    ),
    { lost: number(lost) },
  );
  return `${gone} ${heir} ${cost}`;
}
