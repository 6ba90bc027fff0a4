import type { CallOutput } from '../lib/calls.ts';

type TaxBehavior = CallOutput<'billing.plans.list'>['data'][number]['taxBehavior'];

const sentences: Record<TaxBehavior, string> = { inclusive: 'Prices include all taxes.' };

/** What pages say below prices, by what billing says of them. */
export function taxSentence(taxBehavior: TaxBehavior): string {
  return sentences[taxBehavior];
}
