/** Queues of 3.10 with files of version 2: lanes, reductions and words of version 1, files of version 2 (W18). */
import { gettext } from "../../model/text.js";
import { lanePhrase, sentence } from "../../model/why-sentence.js";
import { surplusOf } from "../v1/layout/permitted.js";
import { EXPLAINED_1 } from "../v1/model/explained.js";
import { situationOf } from "../v1/model/situation.js";
import { VERSION_2 } from "../v2/model/generation.js";

/** @import { Generation } from "../../model/generations.js" */

const { bodyPlan, copy, empty, files, live, ownPlan, survivors, weight } = /** @type {Generation} */ (VERSION_2);
const { firstSteps, held, larger, reasons, tour, until } = /** @type {Generation} */ (EXPLAINED_1);

/**
 * How many entries a segment of `.qi` has: twice as many as one of `.idx`, unless the session names a number.
 * @type {Generation["perFile"]}
 */
const perFile = (settings) => settings.index_v2_segment_entry_count || 2 * settings.segment_entry_count;

/** @type {Partial<Generation>} */
export const VERSION_CHOICE = {
  words: {
    FilesConverted: (t) =>
      sentence(
        "\u21c4",
        "plain",
        gettext("The files of the queue have another version"),
        gettext(
          "Index entries move segment by segment. For version 2 small bodies go to .qs files; for version 1 they go into the index, and so back into RAM.",
        ),
        lanePhrase(t),
      ),
  },
  moves: { FilesConverted: ({ to }) => ["joined", { to }] },
  situation: situationOf,
  surplus: (queue, settings, lanes) => surplusOf(queue, { ...settings, segment_entry_count: perFile(settings) }, lanes),
  reasons,
  held,
  larger,
  firstSteps,
  tour,
  until,
  empty: () => ({ reduced: null, ...empty() }),
  begin: (own) => {
    own.reduced = null;
  },
  copy: (own) => ({ ...copy(own), reduced: own.reduced }),
  weight,
  files,
  perFile,
  live,
  survivors,
  ownPlan,
  bodyPlan,
};
