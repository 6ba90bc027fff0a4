/**
 * A set for high churn: members such as the requests in flight, which are added and deleted all the time. A `Set`
 * rehashes into a new table every few dozen changes, and in V8 each table refers to its successor. Once a table is in
 * the old generation, scavenges promote all its successors and their members, which stay in memory until the next full
 * collection. This set keeps its members in one array and reuses the slots.
 */
export class ArraySet<T extends object> implements Iterable<T> {
  #members: T[] = [];
  /** The property of a member that holds its index. */
  readonly #index = Symbol('index');

  get size(): number {
    return this.#members.length;
  }

  add(member: T): this {
    if (!this.has(member)) this.#put(member, this.#members.length);
    return this;
  }

  has(member: T): boolean {
    return this.#members[this.#indexOf(member)] === member;
  }

  delete(member: T): boolean {
    if (!this.has(member)) return false;
    const last = this.#members.pop() as T;
    if (last !== member) this.#put(last, this.#indexOf(member));
    return true;
  }

  clear(): void {
    this.#members = [];
  }

  /** Iterates over a snapshot, so that members may be deleted during the iteration. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#members].values();
  }

  #put(member: T, index: number): void {
    this.#members[index] = member;
    (member as Record<symbol, number>)[this.#index] = index;
  }

  #indexOf(member: T): number {
    return (member as Record<symbol, number | undefined>)[this.#index] ?? -1;
  }
}

/**
 * A map for high churn, see {@link ArraySet}. It uses a `Map`, but boxes each value and empties the box when its entry
 * is deleted, so that promoted tables keep only keys and empty boxes.
 */
export class BoxedMap<K, V> {
  readonly #boxes = new Map<K, { value: V | undefined }>();

  get size(): number {
    return this.#boxes.size;
  }

  get(key: K): V | undefined {
    return this.#boxes.get(key)?.value;
  }

  has(key: K): boolean {
    return this.#boxes.has(key);
  }

  set(key: K, value: V): this {
    const box = this.#boxes.get(key);
    if (box) box.value = value;
    else this.#boxes.set(key, { value });
    return this;
  }

  delete(key: K): boolean {
    const box = this.#boxes.get(key);
    if (box) box.value = undefined;
    return this.#boxes.delete(key);
  }

  /** A snapshot of the values. */
  values(): IterableIterator<V> {
    return [...this.#boxes.values()].map(({ value }) => value as V).values();
  }

  /** Entries may be deleted during the iteration. */
  forEach(callback: (value: V, key: K) => void): void {
    for (const [key, { value }] of this.#boxes) callback(value as V, key);
  }
}
