/** What our scripts use of gifenc, which comes without types. */

export interface Frame {
  palette?: number[][];
  /** Milliseconds. */
  delay?: number;
  transparent?: boolean;
  transparentIndex?: number;
  dispose?: number;
}

export interface Encoder {
  writeFrame(places: Uint8Array, width: number, height: number, frame?: Frame): void;
  finish(): void;
  bytes(): Uint8Array<ArrayBuffer>;
}

export function GIFEncoder(): Encoder;
export function nearestColorIndex(palette: number[][], colour: number[]): number;
