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

/** `lost`: acknowledged updates that are missing. */
export type DatabaseResult = LoadResult & { lost: number };
