/** The live page: a session on the server. */
import { Server } from "../net/server.js";
import { csrfToken, find } from "../view/base/dom.js";
import { openSession } from "./session-page.js";

const data = JSON.parse(find("#live-data").textContent);
openSession(find("#live"), data, new Server(data, csrfToken));
