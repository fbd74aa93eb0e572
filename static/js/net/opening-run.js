/** How a ready run begins, recorded when the edition was built: a page plays it until its own engine has loaded. */
import { gettext } from "../model/text.js";
import { Recording } from "./recording.js";

/** @import { Message } from "./recording.js" */

/** @typedef {{ messages: Message[], ends_us: number, begun?: import("../model/past.js").SentPast }} Opening as `playground.static_edition.write` writes it */

export class OpeningRun extends Recording {
  /**
   * `lastsUs` is where the whole run ends.
   * @param {Opening} opening
   * @param {number} lastsUs
   */
  constructor({ messages, ends_us, begun }, lastsUs) {
    super({ parts: 1, ends_us, lasts_us: lastsUs, begun }, { unpack: async () => [...messages], records: async () => ({}) });
  }

  refusal() {
    return gettext("The engine is still being loaded. Try again in a moment.");
  }
}
