const maxChunkLength = 512;

/**
 * A set of ids in the order of their UTF-16 code units, to be read in pages from any place in it, also while it
 * changes. Adding and deleting cost a binary search and a move within one chunk.
 */
export class SortedIds {
  readonly #chunks: string[][] = [];

  add(id: string): void {
    const at = this.#chunkFor(id);
    const chunk = this.#chunks[at];
    if (!chunk) {
      this.#chunks.push([id]);
      return;
    }
    const index = placeIn(chunk, id);
    if (chunk[index] === id) return;
    chunk.splice(index, 0, id);
    if (chunk.length > maxChunkLength) this.#split(at, chunk);
  }

  delete(id: string): void {
    const at = this.#chunkFor(id);
    const chunk = this.#chunks[at];
    const index = chunk ? placeIn(chunk, id) : 0;
    if (chunk?.[index] !== id) return;
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** At most `limit` ids after `after`, from the first when null. */
  page(after: string | null, limit: number): string[] {
    const found: string[] = [];
    let at = after === null ? 0 : this.#chunkFor(after);
    for (; at < this.#chunks.length && found.length < limit; at += 1) {
      const chunk = this.#chunks[at] ?? [];
      const from = after === null ? 0 : placeAfter(chunk, after);
      for (const id of chunk.slice(from, from + limit - found.length)) found.push(id);
    }
    return found;
  }

  /** At most `limit` ids before `before`, the last first; from the last when null. */
  pageBefore(before: string | null, limit: number): string[] {
    const found: string[] = [];
    let at = before === null ? this.#chunks.length - 1 : this.#chunkFor(before);
    for (; at >= 0 && found.length < limit; at -= 1) {
      const chunk = this.#chunks[at] ?? [];
      const end = before === null ? chunk.length : placeIn(chunk, before);
      for (const id of chunk.slice(Math.max(0, end - limit + found.length), end).reverse()) found.push(id);
    }
    return found;
  }

  /** The last chunk that begins at or before an id, or the first. */
  #chunkFor(id: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#chunks[middle]?.[0] ?? '') <= id) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** Ascending insertions fill a chunk; insertions in any order split it in halves. */
  #split(at: number, chunk: string[]): void {
    const isLast = at === this.#chunks.length - 1;
    this.#chunks.splice(at + 1, 0, chunk.splice(isLast ? maxChunkLength : maxChunkLength / 2));
  }
}

/** Where an id is in a sorted list, or would be. */
function placeIn(chunk: readonly string[], id: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((chunk[middle] ?? '') < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function placeAfter(chunk: readonly string[], id: string): number {
  const index = placeIn(chunk, id);
  return chunk[index] === id ? index + 1 : index;
}
