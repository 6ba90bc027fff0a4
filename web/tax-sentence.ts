import type { CallOutput } from '../lib/calls.ts';
import { texts } from './texts.ts';

type TaxBehavior = CallOutput<'billing.plans.list'>['data'][number]['taxBehavior'];

/** What pages say below prices, by what billing says of them. */
export function taxSentence(taxBehavior: TaxBehavior): string {
  return texts().taxes[taxBehavior];
}
