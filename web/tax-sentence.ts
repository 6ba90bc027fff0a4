import type { CallOutput } from '../lib/contract/context.ts';
import { texts } from './texts.ts';

type TaxBehavior = CallOutput<'billing.plans.list'>['data'][number]['taxBehavior'];

/** The sentence below prices, by their tax behavior. */
export function taxSentence(taxBehavior: TaxBehavior): string {
  return texts().taxes[taxBehavior];
}
