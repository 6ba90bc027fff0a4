/** A point of an outline in font units; two off the curve have one on it halfway between them. */
export type Point = { x: number; y: number; isOnCurve: boolean };
export type Box = { xMin: number; yMin: number; xMax: number; yMax: number };

const onCurve = 0x01;

/**
 * A simple glyph as TrueType's `glyf` has it, without hints and without the shorter forms that numbers can have, padded
 * to four bytes; empty for no contours. `box` is given where it is not what is around the points.
 */
export function encodeOutline(contours: Point[][], box?: Box): Buffer {
  if (contours.length === 0) return Buffer.alloc(0);
  const points = contours.flat();
  let last = -1;
  const ends = contours.map((contour) => {
    last += contour.length;
    return last;
  });
  const deltas = (axis: 'x' | 'y') => points.map((point, index) => point[axis] - (points[index - 1]?.[axis] ?? 0));
  const noInstructions = 0;
  return padded([
    glyphHeader(contours.length, box ?? boxAround(points)),
    words([...ends, noInstructions]),
    Buffer.from(points.map(({ isOnCurve }) => (isOnCurve ? onCurve : 0))),
    words([...deltas('x'), ...deltas('y')]),
  ]);
}

/** The header of a glyph; a contour count of -1 marks a composite glyph. */
export function glyphHeader(contourCount: number, { xMin, yMin, xMax, yMax }: Box): Buffer {
  return words([contourCount, xMin, yMin, xMax, yMax]);
}

/** Sixteen bits each, signed or not. */
export function words(values: number[]): Buffer {
  const buffer = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) buffer.writeUInt16BE(value & 0xffff, 2 * index);
  return buffer;
}

/** Thirty-two bits each, not signed. */
export function longs(values: number[]): Buffer {
  const buffer = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value, 4 * index);
  return buffer;
}

/** Parts in one buffer whose length is a multiple of four. */
export function padded(parts: Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([...parts, Buffer.alloc(-length & 3)]);
}

/** Where each of these buffers begins when they follow one another, and where the last ends. */
export function offsetsOf(buffers: Buffer[]): number[] {
  let offset = 0;
  return [0, ...buffers.map((buffer) => (offset += buffer.length))];
}

function boxAround(points: Point[]): Box {
  const box = { xMin: 0x7fff, yMin: 0x7fff, xMax: -0x8000, yMax: -0x8000 };
  for (const { x, y } of points) {
    box.xMin = Math.min(box.xMin, x);
    box.yMin = Math.min(box.yMin, y);
    box.xMax = Math.max(box.xMax, x);
    box.yMax = Math.max(box.yMax, y);
  }
  return box;
}
