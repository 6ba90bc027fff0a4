import { rowOf } from '../store/statements.ts';
import type { Plan } from './plan.ts';

/** Limits up to which keys are counted for an estimate, one per round. */
export const estimateLimits = [64, 1024, 16_384];
const sampledRanges = 16;

/** Estimates how many keys a plan reads; stops counting at `limit`. */
export function estimateKeys(plan: Plan, limit: number): number {
  if (plan.kind === 'collection') return limit;
  if (plan.kind === 'union') {
    let sum = 0;
    for (const inner of plan.plans) if (sum < limit) sum += estimateKeys(inner, limit - sum);
    return sum;
  }
  // A sample of at limit 16 ranges, spread evenly, is extrapolated to all.
  const step = Math.max(1, Math.ceil(plan.ranges.length / sampledRanges));
  let keys = 0;
  for (let at = 0; at < plan.ranges.length && keys < limit; at += step) {
    const range = plan.ranges[at];
    const { count } = plan.index.statements;
    if (range) keys += rowOf<[number]>(count.get(range.from, range.to, limit - keys))?.[0] ?? 0;
  }
  return Math.min(limit, keys * step);
}
