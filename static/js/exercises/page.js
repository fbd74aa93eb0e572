/** The page of an exercise: its task, and the session beside it. */
import "../generations/all.js";
import { followTask, openTask } from "./task.js";

const task = document.querySelector("#task");
if (task) {
  openTask(task);
  document.addEventListener("waterline:live", ({ detail }) => followTask(task, detail));
}
