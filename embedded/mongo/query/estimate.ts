import { rowOf } from '../store/statements.ts';
import type { Plan } from './plan.ts';

/** How far keys are counted for an estimate, round by round. */
export const estimateLimits = [64, 1024, 16_384];
const sampledRanges = 16;

/** About how many keys a plan reads; not above `most`, at which counting ends. */
export function estimateKeys(plan: Plan, most: number): number {
  if (plan.kind === 'collection') return most;
  if (plan.kind === 'union') {
    let sum = 0;
    for (const inner of plan.plans) if (sum < most) sum += estimateKeys(inner, most - sum);
    return sum;
  }
  // Of many ranges some, spread over all of them, stand for the rest.
  const step = Math.max(1, Math.ceil(plan.ranges.length / sampledRanges));
  let keys = 0;
  for (let at = 0; at < plan.ranges.length && keys < most; at += step) {
    const range = plan.ranges[at];
    const { count } = plan.index.statements;
    if (range) keys += rowOf<[number]>(count.get(range.from, range.to, most - keys))?.[0] ?? 0;
  }
  return Math.min(most, keys * step);
}
