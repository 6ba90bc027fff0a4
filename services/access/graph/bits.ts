/**
 * Sets of small numbers as bits: a role's permissions by their place in the organization's table. A thousand roles of
 * ten thousand permissions each are 1.2 MB so, and some hundreds as sets of keys. Never changed once made.
 */
export type Bits = Uint32Array;

export function hasBit(bits: Bits, place: number): boolean {
  const word = place >>> 5;
  return word < bits.length && ((bits[word] ?? 0) & (1 << (place & 31))) !== 0;
}

export function bitsOf(places: Iterable<number>): Bits {
  const all = [...places];
  const size = all.reduce((least, place) => Math.max(least, place + 1), 0);
  const bits = new Uint32Array(Math.ceil(size / 32));
  for (const place of all) bits[place >>> 5] = (bits[place >>> 5] ?? 0) | (1 << (place & 31));
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
