/** Range of code points, both ends included. */
export type Range = [number, number];

const digits: Range[] = [[0x30, 0x39]];
const upper: Range[] = [[0x41, 0x5a]];
const lower: Range[] = [[0x61, 0x7a]];
const word: Range[] = [...digits, ...upper, [0x5f, 0x5f], ...lower];
const space: Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
];
const horizontal: Range[] = [
  ...[0x09, 0x20, 0xa0, 0x1680, 0x180e].map((code): Range => [code, code]),
  [0x2000, 0x200a],
  ...[0x202f, 0x205f, 0x3000].map((code): Range => [code, code]),
];
const vertical: Range[] = [
  [0x0a, 0x0d],
  [0x85, 0x85],
  [0x2028, 0x2029],
];

/** Returns the complement of ascending and disjoint `ranges`, ascending and disjoint. */
export function complementOf(ranges: Range[]): Range[] {
  const rest: Range[] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next) rest.push([next, first - 1]);
    next = last + 1;
  }
  return [...rest, [next, 0x10ffff]];
}

/** Sets of `\d` and similar escapes without (*UCP): ASCII, except for horizontal and vertical white space. */
export const escapedSets = new Map<string, Range[]>(
  Object.entries({ d: digits, w: word, s: space, h: horizontal, v: vertical }).flatMap(
    ([letter, ranges]): [string, Range[]][] => [
      [letter, ranges],
      [letter.toUpperCase(), complementOf(ranges)],
    ],
  ),
);

export const posixSets = new Map<string, Range[]>([
  ['alnum', [...digits, ...upper, ...lower]],
  ['alpha', [...upper, ...lower]],
  ['ascii', [[0, 0x7f]]],
  [
    'blank',
    [
      [0x09, 0x09],
      [0x20, 0x20],
    ],
  ],
  [
    'cntrl',
    [
      [0, 0x1f],
      [0x7f, 0x7f],
    ],
  ],
  ['digit', digits],
  ['graph', [[0x21, 0x7e]]],
  ['lower', lower],
  ['print', [[0x20, 0x7e]]],
  [
    'punct',
    [
      [0x21, 0x2f],
      [0x3a, 0x40],
      [0x5b, 0x60],
      [0x7b, 0x7e],
    ],
  ],
  ['space', space],
  ['upper', upper],
  ['word', word],
  ['xdigit', [...digits, [0x41, 0x46], [0x61, 0x66]]],
]);
