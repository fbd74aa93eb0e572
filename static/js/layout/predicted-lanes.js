/** Where a prediction stands on the stage: a frame over each lane that it names. */
import { box } from "./geometry.js";

/** @import { Scene } from "./stage.js" */

/**
 * One frame for each predicted lane: {lane, x, y, w, h, predicted, is}: how many messages were predicted there, and how many there are.
 * @param {Scene} scene as stageScene made it
 * @param {Record<string, number>} lanes how many messages were predicted in each lane
 */
export function predictedFrames(scene, lanes) {
  const { geo } = scene;
  const v = geo.ramContent - 4;
  return scene.lanes
    .filter((lane) => lane.name in lanes)
    .map((lane) => ({
      lane: lane.name,
      predicted: lanes[lane.name],
      is: lane.count,
      ...box(geo, lane.u0, lane.u1 - lane.u0, v, geo.diskContent + geo.content + 4 - v),
    }));
}
