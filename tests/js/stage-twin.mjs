/** Of each run {rows, places, shown}: says whether the stage has the lanes of every queue, with its messages. */
import { stageScene } from "../../static/js/layout/stage.js";
import { PLACES } from "../../static/js/model/catalogue/places.js";
import { emptyState, reduce } from "../../static/js/model/reduce.js";
import { showQueue } from "../../static/js/model/shown.js";
import { eachRun, same } from "./asking.mjs";

eachRun(({ rows, places, shown }) => {
  Object.assign(PLACES, places);
  const state = reduce(emptyState(), rows);
  for (const { queue, lanes, seqs } of shown) {
    showQueue(queue);
    const scene = stageScene(state, 1400, 600, false);
    same(`lanes of ${queue}`, scene.lanes.map(({ name, count }) => [name, count]), lanes);
    const drawn = scene.lanes.map(({ keys }) => (keys ?? []).map(([seq]) => seq).sort((a, b) => a - b));
    same(`messages of ${queue}`, drawn, seqs);
  }
});
