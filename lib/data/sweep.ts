import type { Logger } from 'moleculer';
import type { Model } from 'mongoose';
import { Counter } from 'prom-client';
import { concurrently } from '../concurrency/concurrently.ts';
import { isDatabaseUnreachable } from './database-errors.ts';
import { behindId } from './ids.ts';

const failures = new Counter({
  name: 'sweep_failures_total',
  help: 'Items that a sweep could not process and leaves to its next run, by sweep.',
  labelNames: ['sweep'],
});

type Item = { _id: string; orgId: string };

/** A run of scheduled work over many items. `name`: the schedule's name. `failures`: by tenant, in this run. */
export type Sweep = { name: string; logger: Logger; signal: AbortSignal; failures: Map<string, number> };

export function newSweep(name: string, logger: Logger, signal: AbortSignal): Sweep {
  return { name, logger, signal, failures: new Map() };
}

/** The maximum number of failures that are logged in a run; the metric counts all. */
const maxLogged = 10;
/** After this many failures of one tenant in a run, its other items wait for the next run. */
const maxFailuresOfTenant = 3;

/**
 * Processes the items of a sweep page by page, `width` at a time. A failing item does not block others: it is logged,
 * counted in `sweep_failures_total` and retried in the next run. The other items of a tenant with repeated failures are
 * also deferred, because each may fail only after a timeout. Ends when the signal aborts. Throws when the database
 * cannot be reached.
 */
export async function sweepItems<T extends Item>(
  sweep: Sweep,
  pages: AsyncIterable<T[]> | Iterable<T[]>,
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  for await (const page of pages) {
    await concurrently(page, width, async (item) => {
      if (sweep.signal.aborted || failuresOf(sweep, item) >= maxFailuresOfTenant) return;
      try {
        await work(item);
      } catch (error) {
        if (isDatabaseUnreachable(error)) throw error;
        recordFailure(sweep, item, error);
      }
    });
    if (sweep.signal.aborted) return;
  }
}

/**
 * Variant of {@link sweepItems} for items that may be huge: `work` does a bounded part of an item, and calls `again`
 * with the remaining part, which is processed after all other items.
 */
export async function sweepInTurns<T extends Item>(
  sweep: Sweep,
  pages: AsyncIterable<T[]> | Iterable<T[]>,
  width: number,
  work: (item: T, again: (left: T) => void) => Promise<unknown>,
): Promise<void> {
  const waiting: T[] = [];
  const again = (left: T) => void waiting.push(left);
  async function* turns(): AsyncGenerator<T[]> {
    yield* pages;
    while (waiting.length > 0) yield waiting.splice(0);
  }
  await sweepItems(sweep, turns(), width, (item) => work(item, again));
}

const failuresOf = ({ failures: byTenant }: Sweep, { orgId }: Item): number => byTenant.get(orgId) ?? 0;

function recordFailure(sweep: Sweep, item: Item, error: unknown): void {
  const { name, logger, failures: byTenant } = sweep;
  const { _id, orgId } = item;
  byTenant.set(orgId, failuresOf(sweep, item) + 1);
  failures.inc({ sweep: name });
  const total = [...byTenant.values()].reduce((sum, count) => sum + count, 0);
  if (total <= maxLogged) logger.error(`${name} failed for an item; retrying in the next run`, { _id, orgId, error });
}

/** Before every stored instant, including the beginning of 1970. */
const beforeAll = new Date(-1);

/**
 * The documents of all tenants whose instant in a field is not after `until`, in pages in the order of that instant and
 * the id. Each page starts after the last document of the previous page, even if that was deleted. The required index
 * is `{ [field]: 1, _id: 1 }`, or `{ …filter, [field]: 1, _id: 1 }`.
 */
export async function* pagesByInstant<T extends Item>(
  model: { collection: unknown },
  { field, until, filter = {} }: { field: keyof T & string; until: Date; filter?: Record<string, unknown> },
  size: number,
): AsyncGenerator<T[]> {
  const documents = model as unknown as Model<T>;
  const find = async (range: object, limit: number): Promise<T[]> =>
    limit === 0
      ? []
      : await documents
          .find({ ...filter, ...range } as never, null, { acrossTenants: true })
          .sort({ [field]: 1, _id: 1 })
          .limit(limit)
          .lean<T[]>();
  for (let last: T | null = null; ; ) {
    const instant: Date = last ? (last[field] as Date) : beforeAll;
    const sameInstant: T[] = last ? await find({ [field]: instant, _id: { $gt: last._id } }, size) : [];
    const later = await find({ [field]: { $gt: instant, $lte: until } }, size - sameInstant.length);
    const page: T[] = [...sameInstant, ...later];
    if (page.length > 0) yield page;
    if (page.length < size) return;
    last = page.at(-1) ?? null;
  }
}

/**
 * The documents that match a filter, of all tenants unless it names one, in pages in the order of their ids, as {@link
 * pagesByInstant}. With a projection, `T` has only the selected fields.
 */
export async function* pagesById<T extends Item>(
  model: { collection: unknown },
  filter: Record<string, unknown>,
  size: number,
  projection: Record<string, 1> | null = null,
): AsyncGenerator<T[]> {
  const documents = model as unknown as Model<T>;
  for (let after = ''; ; ) {
    const page: T[] = await documents
      .find({ ...filter, _id: { $gt: after } } as never, projection as never, { acrossTenants: true })
      .sort({ _id: 1 })
      .limit(size)
      .lean<T[]>();
    if (page.length > 0) yield page;
    if (page.length < size) return;
    after = page.at(-1)?._id ?? '';
  }
}

/**
 * The tenants that have documents of any of the models, each once, as items of a sweep. Each is found after the
 * previous one was processed, by one seek in an index that begins with the fields of the filter and `orgId`, however
 * many documents a tenant has.
 */
export async function* tenantsOf(
  models: { collection: unknown }[],
  filter: Record<string, unknown> = {},
): AsyncGenerator<[Item]> {
  for (let last = ''; ; ) {
    const candidates = await Promise.all(models.map((model) => nextTenant(model, filter, last)));
    const [orgId] = candidates.flatMap((candidate) => candidate ?? []).sort();
    if (orgId === undefined) return;
    last = orgId;
    yield [{ _id: orgId, orgId }];
  }
}

async function nextTenant(
  model: { collection: unknown },
  filter: Record<string, unknown>,
  last: string,
): Promise<string | null> {
  const documents = model as unknown as Model<Item>;
  const next = await documents
    .findOne({ ...filter, orgId: { $gte: behindId(last) } } as never, { orgId: 1 }, { acrossTenants: true })
    .sort({ orgId: 1 })
    .lean<Item>();
  return next?.orgId ?? null;
}
