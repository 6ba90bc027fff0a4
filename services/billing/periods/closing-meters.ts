import { type Meter, meterNames, meters } from '../quota/meters.ts';

const named = (kind: 'day' | 'month') => meterNames.filter((meter) => meters[meter].kind === kind);

/** The meters that are reset each day, and each month, in UTC. */
export const dayMeters: Meter[] = named('day');
export const monthMeters: Meter[] = named('month');

/** All meters with periods. */
export const closingMeters = [...dayMeters, ...monthMeters] as [Meter, ...Meter[]];
