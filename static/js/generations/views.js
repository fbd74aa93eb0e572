/** What kinds of queues draw themselves, for the pages that show files; the only file that imports it. */
import { register } from "../model/generations.js";
import { INDEX_MAP } from "./v1/view/index-map.js";
import { OWN_MAP } from "./v2/view/own-map.js";

register("variable_queue", { map: INDEX_MAP });
register("classic_v2", { map: OWN_MAP });
register("variable_queue_v2", { map: { ...OWN_MAP, fsyncs: true } });
