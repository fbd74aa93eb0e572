/** What the page loads when it is first used: in one file, as each further one would split what the page loads at once. */
export { LifeSheet } from "./life-sheet.js";
export { savePicture } from "./picture-file.js";
export { Sharing } from "./share.js";
