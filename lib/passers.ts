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
