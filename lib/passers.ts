/**
 * A set for what comes and goes all the time, such as the requests in flight. A `Set` makes itself a new table again and
 * again then, and V8 has each table refer to the next. Collections of the young generation keep what an old table refers
 * to, so that once one table is old, all later ones and whatever was in them get old as well, and stay until the whole
 * heap is collected. Here who comes next gets the place of who left.
 */
export class Passers<T extends object> implements Iterable<T> {
  #members: T[] = [];
  /** Where a member has its place. */
  readonly #place = Symbol('place');

  get size(): number {
    return this.#members.length;
  }

  add(member: T): this {
    if (!this.has(member)) this.#put(member, this.#members.length);
    return this;
  }

  has(member: T): boolean {
    return this.#members[this.#placeOf(member)] === member;
  }

  delete(member: T): boolean {
    if (!this.has(member)) return false;
    const last = this.#members.pop() as T;
    if (last !== member) this.#put(last, this.#placeOf(member));
    return true;
  }

  clear(): void {
    this.#members = [];
  }

  /** The members of now; they may leave meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#members].values();
  }

  #put(member: T, place: number): void {
    this.#members[place] = member;
    (member as Record<symbol, number>)[this.#place] = place;
  }

  #placeOf(member: T): number {
    return (member as Record<symbol, number | undefined>)[this.#place] ?? -1;
  }
}

/**
 * A map for the same. It is a `Map`, whose tables follow each other all the same, but each value is in a place of its
 * own, which is emptied when the value leaves: what those tables keep is the keys.
 */
export class PassingMap<K, V> {
  readonly #places = new Map<K, { value: V | undefined }>();

  get size(): number {
    return this.#places.size;
  }

  get(key: K): V | undefined {
    return this.#places.get(key)?.value;
  }

  has(key: K): boolean {
    return this.#places.has(key);
  }

  set(key: K, value: V): this {
    const place = this.#places.get(key);
    if (place) place.value = value;
    else this.#places.set(key, { value });
    return this;
  }

  delete(key: K): boolean {
    const place = this.#places.get(key);
    if (place) place.value = undefined;
    return this.#places.delete(key);
  }

  /** The values of now. */
  values(): IterableIterator<V> {
    return [...this.#places.values()].map(({ value }) => value as V).values();
  }

  /** Values may leave meanwhile. */
  forEach(callback: (value: V, key: K) => void): void {
    for (const [key, { value }] of this.#places) callback(value as V, key);
  }
}
