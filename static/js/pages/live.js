/** The live page: a session on the server. */
import { Server } from "../net/server.js";
import { csrfToken, need } from "../view/base/dom.js";
import { openSession } from "./session-page.js";

const data = JSON.parse(need("#live-data").textContent);
openSession(need("#live"), data, new Server(data, csrfToken));
