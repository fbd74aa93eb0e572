/** What pages that put something beside the stage follow, and the event that carries it. Only for the checker of types. */
import type { Live } from "../view/base/live.js";
import type { StageView } from "../view/stage/stage.js";

export interface Followed extends Pick<Live, "session" | "engine" | "playhead" | "selection" | "alerts" | "host"> {
  stage: StageView;
}

declare global {
  interface DocumentEventMap {
    /** The session of this page stands; pages/session-page.js dispatches it once. */
    "waterline:live": CustomEvent<Followed>;
  }
}
