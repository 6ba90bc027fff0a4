/** Counts the writes of a node's life; none is made, and nothing is read, after its end. */
export type Life = { written: number; crash: Crash | null; isOver: boolean };

/** The write at which a node ends: before it, or after it and before its answer. */
export type Crash = { at: number; isAfter: boolean };

export class Ended extends Error {}

export const newLife = (crash: Crash | null): Life => ({ written: 0, crash, isOver: false });

const writes = new Set([
  'updateOne',
  'updateMany',
  'findOneAndUpdate',
  'insertOne',
  'insertMany',
  'bulkWrite',
  'deleteMany',
  'deleteOne',
]);

/** A collection as a node sees it whose process ends at a write. */
export function mortal<T extends object>(collection: T, life: Life): T {
  return new Proxy(collection, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (life.isOver) throw new Ended();
        if (!writes.has(String(name))) return value.apply(target, args);
        return write(() => value.apply(target, args), life);
      };
    },
  });
}

/**
 * Makes the collections of these models those of a process that ends at a write. Returns the function that gives them
 * back.
 */
export function spyOnWrites(models: { collection: object }[], life: Life): () => void {
  const collections = models.map(({ collection }) => collection as Record<string, unknown>);
  for (const collection of collections) {
    const seen = mortal(collection, life);
    for (const name of writes) collection[name] = seen[name];
  }
  return () => {
    for (const collection of collections) for (const name of writes) delete collection[name];
  };
}

async function write(execute: () => Promise<unknown>, life: Life): Promise<unknown> {
  life.written += 1;
  const isLast = life.crash !== null && life.written >= life.crash.at;
  if (isLast) life.isOver = true;
  if (isLast && !life.crash!.isAfter) throw new Ended();
  // Once the process has ended nobody hears how a write went that was on its way.
  const result = await execute();
  if (life.isOver) throw new Ended();
  return result;
}
