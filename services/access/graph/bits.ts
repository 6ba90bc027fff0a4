/**
 * Immutable bit sets: a role's permissions by their index in the organization's table. A thousand roles of ten thousand
 * permissions each take 1.2 MB instead of hundreds of MB as sets of keys.
 */
export type Bits = Uint32Array;

export function hasBit(bits: Bits, index: number): boolean {
  const word = index >>> 5;
  return word < bits.length && ((bits[word] ?? 0) & (1 << (index & 31))) !== 0;
}

export function bitsOf(places: Iterable<number>): Bits {
  const all = [...places];
  const size = all.reduce((minSize, index) => Math.max(minSize, index + 1), 0);
  const bits = new Uint32Array(Math.ceil(size / 32));
  for (const bit of all) bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
  return bits;
}

/** The union of sets; the first itself when the others add nothing. */
export function unionOf(first: Bits, others: readonly Bits[]): Bits {
  const added = others.filter((bits) => !isWithin(bits, first));
  if (added.length === 0) return first;
  const union = new Uint32Array(added.reduce((length, bits) => Math.max(length, bits.length), first.length));
  for (const bits of [first, ...added]) {
    for (let word = 0; word < bits.length; word += 1) union[word] = (union[word] ?? 0) | (bits[word] ?? 0);
  }
  return union;
}

export function areEqual(left: Bits, right: Bits): boolean {
  return left === right || (isWithin(left, right) && isWithin(right, left));
}

/** The numbers of a set, ascending. */
export function placesOf(bits: Bits): number[] {
  const places: number[] = [];
  for (let word = 0; word < bits.length; word += 1) {
    for (let rest = bits[word] ?? 0; rest !== 0; rest &= rest - 1) places.push(word * 32 + lowestBit(rest));
  }
  return places;
}

function isWithin(inner: Bits, outer: Bits): boolean {
  return inner.every((word, index) => (word & ~(outer[index] ?? 0)) === 0);
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}
