/** A start on files that a reader sent: the page of a session, whose run was made for this answer. */
import { Recording } from "../net/recording.js";
import { find } from "../view/base/dom.js";
import { openSession } from "./session-page.js";

const data = JSON.parse(find("#live-data").textContent);
const parts = JSON.parse(find("#inspected-run").textContent);
openSession(find("#live"), data, new Recording(data.recording, { unpack: async (at) => parts[at], records: async () => ({}) }));
