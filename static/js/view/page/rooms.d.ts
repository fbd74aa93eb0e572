/** The rooms of a session's page, as pages/session-page.js builds them. Only for the checker of types. */
import type { FilesView } from "../files/files.js";
import type { buildPanels } from "../panels/build.js";
import type { buildStage } from "../stage/build.js";
import type { buildTime } from "../time/build.js";
import type { buildPage } from "./build.js";

export interface Rooms {
  stage: ReturnType<typeof buildStage>;
  files: FilesView;
  time: ReturnType<typeof buildTime>;
  panels: ReturnType<typeof buildPanels>;
}

/** What goes beyond single parts. */
export type Page = ReturnType<typeof buildPage>;

export interface AllRooms extends Rooms {
  page: Page;
}
