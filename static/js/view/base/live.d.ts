/** What the parts of a session's page share; pages/session-page.js makes it. Only for the checker of types. */
import type { Playhead } from "../../model/playhead.js";
import type { Selection } from "../../model/selection.js";
import type { Session } from "../../model/session.js";
import type { Engine } from "../../net/engine.js";
import type { Past } from "../../net/past.js";
import type { Host } from "../../net/server.js";
import type { Values } from "../../model/catalogue/types.js";
import type { Alerts } from "./alerts.js";
import type { CommandSender } from "./command-sender.js";

export interface Live {
  root: HTMLElement;
  /** What the server writes into the page with its template. */
  data: Values;
  host: Host;
  session: Session;
  playhead: Playhead;
  selection: Selection;
  engine: Engine;
  past: Past;
  alerts: Alerts;
  sender: CommandSender;
}
