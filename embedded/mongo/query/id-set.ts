const blockIds = 4096;

/** Set of record ids, which are dense: one bit per id, in blocks of 512 bytes. */
export type IdSet = Map<number, Uint32Array>;

/** Adds an id; false when the set already has it. */
export function addId(set: IdSet, id: number): boolean {
  const key = Math.floor(id / blockIds);
  let block = set.get(key);
  if (!block) {
    block = new Uint32Array(blockIds / 32);
    set.set(key, block);
  }
  const at = id % blockIds;
  const bits = block[at >> 5] ?? 0;
  const bit = 1 << (at & 31);
  if (bits & bit) return false;
  block[at >> 5] = bits | bit;
  return true;
}
