/** What kinds of queues draw themselves, for the pages that show files; the only file that imports it. */
import { register } from "../model/generations.js";
import { INDEX_MAP } from "./v1/view/index-map.js";

register("variable_queue", { map: INDEX_MAP });
