/** Classes of elements, which Node.js lacks: what a test puts into a page's place is of one of them. */
export class HTMLElement extends EventTarget {}
export class HTMLInputElement extends HTMLElement {}
export class HTMLFormElement extends HTMLElement {}
export class HTMLDialogElement extends HTMLElement {}

Object.assign(globalThis, { HTMLElement, HTMLInputElement, HTMLFormElement, HTMLDialogElement });
