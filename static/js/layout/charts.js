/** Small charts over virtual time: stacked lane lengths, memory with its lines, rates. Pure: samples to paths. */

/**
 * The span of time that the charts show: [from, to] in virtual microseconds.
 * @returns {[number, number]}
 */
export function timeSpan(samples, nowUs) {
  const from = samples.length ? samples[0].us : 0;
  const to = Math.max(nowUs, from + 4_000_000);
  return [from, to];
}

/** An alarm that goes for less than this many pixels has not gone: it flaps. */
const FLAP_PX = 14;

/** Where an alarm stands: [x0, x1] in pixels; one that flaps is one band. */
export function alarmBands(samples, span, area) {
  const x = scaleX(span, area);
  /** @type {[number, number][]} */
  const bands = [];
  for (let at = 0; at + 1 < samples.length; at += 1) {
    if (!samples[at].alarm) continue;
    const [x0, x1] = [x(samples[at].us), x(samples[at + 1].us)];
    const last = bands[bands.length - 1];
    if (last && x0 - last[1] < FLAP_PX) last[1] = x1;
    else bands.push([x0, x1]);
  }
  return bands;
}

const ALARMS = new Set(["memory", "disk"]);

/** Events without the turns of an alarm that flaps: its first beginning and its last end stay. */
export function withoutFlaps(events, span, area) {
  const x = scaleX(span, area);
  const kept = [];
  let over = null;
  for (const event of events) {
    if (ALARMS.has(event.type) && over && x(event.atUs) - x(over.atUs) < FLAP_PX) {
      kept.splice(kept.indexOf(over), 1);
      over = null;
      continue;
    }
    if (event.type === "calm") over = event;
    kept.push(event);
  }
  return kept;
}

/** Ticks at round seconds, about every `pixels`. */
export function timeTicks([from, to], width, pixels = 90) {
  const spanS = (to - from) / 1e6;
  const rough = (spanS * pixels) / Math.max(1, width);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5].map((factor) => factor * unit).find((each) => each >= rough) ?? 10 * unit;
  const ticks = [];
  for (let second = Math.ceil(from / 1e6 / step) * step; second <= to / 1e6; second += step)
    ticks.push(second);
  return ticks;
}

/** Area of each layer, bottom first: [{name, points: [[x, low, high], ...]}] in pixels, and the top value. */
export function stacked(samples, names, span, area) {
  const top = Math.max(1, ...samples.map((sample) => names.reduce((sum, name) => sum + sample[name], 0)));
  const x = scaleX(span, area);
  const y = (value) => area.y + area.h - (value / top) * area.h;
  const layers = names.map((name) => ({ name, points: [] }));
  for (const sample of samples) {
    let sum = 0;
    names.forEach((name, at) => {
      layers[at].points.push([x(sample.us), y(sum), y(sum + sample[name])]);
      sum += sample[name];
    });
  }
  return { layers, top };
}

/** A line as points in pixels. `top` is the value at the upper border. */
export function line(samples, read, top, span, area) {
  const x = scaleX(span, area);
  const points = [];
  for (const sample of samples) {
    const value = read(sample);
    if (value !== null && value !== undefined)
      points.push([x(sample.us), area.y + area.h - (Math.min(value, top) / top) * area.h]);
  }
  return points;
}

/** Rates from the running totals: [{us, arrivals, deliveries}], messages per second over half a second or more. */
export function rates(samples) {
  const found = [];
  let from = 0;
  for (let at = 1; at < samples.length; at += 1) {
    while (from + 1 < at && samples[at].us - samples[from + 1].us >= 500_000) from += 1;
    const span = (samples[at].us - samples[from].us) / 1e6;
    if (span <= 0) continue;
    found.push({
      us: samples[at].us,
      arrivals: (samples[at].arrived - samples[from].arrived) / Math.max(0.5, span),
      deliveries: (samples[at].left - samples[from].left) / Math.max(0.5, span),
    });
  }
  return found;
}

/** Virtual time to pixels. */
export function scaleX([from, to], area) {
  return (us) => area.x + ((us - from) / (to - from)) * area.w;
}
