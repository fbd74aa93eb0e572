/** All kinds of queues, and what the page explains of them; with usual.js the only file that imports them. */
import { register } from "../model/generations.js";
import { nameNumbers } from "../model/number-words.js";
import { nameSettings } from "../model/setting-words.js";
import "./usual.js";
import { VERSION_CHOICE } from "./both/generation.js";
import { EXPLAINED_1 } from "./v1/model/explained.js";
import { LANE_NUMBERS } from "./v1/model/number-words.js";
import { OWN_SETTINGS } from "./v1/model/settings.js";
import { VERSION_2 } from "./v2/model/generation.js";
import { FILE_NUMBERS } from "./v2/model/number-words.js";

register("variable_queue", EXPLAINED_1);
register("classic_v2", VERSION_2);
register("variable_queue_v2", VERSION_CHOICE);
nameNumbers({ ...LANE_NUMBERS, ...FILE_NUMBERS });
nameSettings(OWN_SETTINGS);
