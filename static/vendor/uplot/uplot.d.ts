/** What the type checker has to know of uPlot: what the page uses of it. */

/** Columns of numbers: the shared time, then one for each series; null where there is no value. */
type Columns = (number | null)[][];
type Told = (plot: UPlot) => void;
type Value = number | null | undefined;

export interface Options {
  width: number;
  height: number;
  title: string;
  cursor: object;
  legend: object;
  scales: Record<string, { time?: boolean; range?: (plot: UPlot, low: Value, high: Value) => [number, number] }>;
  axes: { values: (plot: UPlot, ticks: number[]) => string[]; [look: string]: unknown }[];
  series: { label: string; value: (plot: UPlot, value: Value) => string; [look: string]: unknown }[];
  hooks: { draw: Told[]; init: Told[] };
}

export default class UPlot {
  /** Ways in which a series goes from point to point; it is a straight line otherwise. */
  static paths: { stepped: (options: { align: 1 | -1 }) => object };
  constructor(options: Options, columns: Columns, place: HTMLElement);
  root: HTMLElement;
  over: HTMLElement;
  ctx: CanvasRenderingContext2D;
  width: number;
  bbox: { left: number; top: number; width: number; height: number };
  /** `left` is negative where no pointer is on the plot. */
  cursor: { left: number };
  destroy(): void;
  setData(columns: Columns): void;
  setSize(size: { width: number; height: number }): void;
  setLegend(legend: { idx: number }, tell: boolean): void;
  posToVal(pixel: number, scale: string): number;
  valToPos(value: number, scale: string, onCanvas: boolean): number;
}
