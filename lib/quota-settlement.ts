import { z } from 'zod';
import { idPattern } from './ids.ts';

/**
 * The input and output of `<service>.quota.settle`: billing requests the number of used units of each reservation, by
 * key.
 */
export const settlementInput = {
  body: z.strictObject({ orgId: z.string().regex(idPattern('org')), keys: z.array(z.string()) }),
};

export const settlementOutput = z.strictObject({
  done: z.array(z.strictObject({ key: z.string(), amount: z.number() })),
});

type Settlement = z.output<typeof settlementOutput>;

/** Counts the used units of each key in sequence. */
export async function settleEach(keys: string[], countOf: (key: string) => Promise<number>): Promise<Settlement> {
  const done: Settlement['done'] = [];
  for (const key of keys) done.push({ key, amount: await countOf(key) });
  return { done };
}

/** Reports one used unit for each key under which a document is stored. */
export function settleStored(keys: string[], stored: ReadonlySet<string>): Settlement {
  return { done: keys.map((key) => ({ key, amount: stored.has(key) ? 1 : 0 })) };
}
