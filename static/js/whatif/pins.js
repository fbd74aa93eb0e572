/** Pinning a cell: it becomes a part of the address, so that the link to the view keeps it. */

/**
 * What the server sends for each cell (playground/whatif/context.py): its place and numbers in words, its memory and the messages of each
 * state over time, and the value by which it is coloured, null where its run failed.
 * @typedef {{ at: string, numbers: string[], ram_kib: number[], states: number[][], limit_kib: number | null, paging_kib: number | null, until_s: number, error: string, note: string, value: number | null }} CellFacts
 * @typedef {{ ajax: (verb: string, address: string, how: { target: string, swap: string }) => void }} Htmx as far as it is used here
 * @typedef {{ labels: string[], unpinned: string, pins: string[], failed: string, states: string, seconds: string, cells: Record<string, CellFacts> }} Tips
 */

/**
 * The address of the view with one more cell pinned, the older of two giving way; unpinned if it was pinned.
 * @param {string} unpinned the address without pins
 * @param {string[]} pins cells that are pinned
 * @param {string} cell
 */
export function pinned(unpinned, pins, cell) {
  const kept = pins.includes(cell) ? pins.filter((each) => each !== cell) : [...pins.slice(-1), cell];
  return kept.length ? `?${unpinned}&pin=${encodeURIComponent(kept.join(","))}` : `?${unpinned}`;
}

/**
 * Request the view with the cell pinned from the server; htmx exchanges it and writes the address.
 * @param {Tips} tips
 * @param {string} cell
 */
export function pin(tips, cell) {
  const address = pinned(tips.unpinned, tips.pins, cell);
  const { htmx } = /** @type {{ htmx?: Htmx }} */ (globalThis);
  if (htmx) htmx.ajax("GET", address, { target: "#whatif", swap: "outerHTML show:none" });
  else window.location.assign(address);
}
