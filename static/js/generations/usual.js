/** The usual kind of queue, as far as its state and its stage need it: the first page begins with it. */
import { register } from "../model/generations.js";
import { surplusOf } from "./v1/layout/permitted.js";
import { VERSION_1 } from "./v1/model/generation.js";

register("variable_queue", { ...VERSION_1, surplus: surplusOf });
