/** The table of all kinds of queues: the only file that imports them. */
import { register } from "../model/generations.js";
import { surplusOf } from "./v1/layout/permitted.js";
import { VERSION_1 } from "./v1/model/generation.js";
import { VERSION_2 } from "./v2/model/generation.js";

register("variable_queue", { ...VERSION_1, surplus: surplusOf });
register("classic_v2", VERSION_2);
