/** Pinning a cell: it becomes a part of the address, so that the link to the view keeps it. */

/** The address of the view with one more cell pinned, the older of two giving way; unpinned if it was pinned. */
export function pinned(unpinned, pins, cell) {
  const kept = pins.includes(cell) ? pins.filter((each) => each !== cell) : [...pins.slice(-1), cell];
  return kept.length ? `?${unpinned}&pin=${encodeURIComponent(kept.join(","))}` : `?${unpinned}`;
}

/** Asks the server for the view with the cell pinned; htmx exchanges it and writes the address. */
export function pin(tips, cell) {
  const address = pinned(tips.unpinned, tips.pins, cell);
  const { htmx } = /** @type {any} */ (window);
  if (htmx) htmx.ajax("GET", address, { target: "#whatif", swap: "outerHTML show:none" });
  else window.location.assign(address);
}
