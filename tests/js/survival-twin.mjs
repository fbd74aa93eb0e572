/** Of each run {queue, recovered, fate}: says whether the page finds the same fate as the engine. */
import { fateOf } from "../../static/js/model/fate.js";
import { eachRun, same } from "./asking.mjs";

eachRun(({ queue, recovered, length, fate }) => same("fate", fateOf(queue, recovered, length), fate));
