import type { LoadResult } from './result.ts';

export const workloads = ['insert', 'find by index', 'guarded $inc'] as const;
export type Workload = (typeof workloads)[number];

export type DatabaseJob = {
  url: string;
  workload: Workload;
  inFlight: number;
  warmUpSeconds: number;
  seconds: number;
};

/** `lost`: updates that were acknowledged and are not there. */
export type DatabaseResult = LoadResult & { lost: number };
