/** Result of a load. Latencies are in milliseconds. */
export type LoadResult = {
  perSecond: number;
  p50: number;
  p99: number;
  count: number;
  /** Number of unexpected results, and the first of them. */
  failures: number;
  firstFailure: string | null;
};

export type Recorder = {
  isOver: () => boolean;
  succeeded: (startedAt: number) => void;
  failed: (what: string) => void;
  result: () => LoadResult;
};

/** Records a load: first an uncounted warm-up, then the measured time. It starts immediately. */
export function createRecorder(warmUpSeconds: number, seconds: number): Recorder {
  const from = performance.now() + warmUpSeconds * 1000;
  const until = from + seconds * 1000;
  const latencies: number[] = [];
  let failures = 0;
  let firstFailure: string | null = null;
  return {
    isOver: () => performance.now() >= until,
    succeeded(startedAt) {
      const endedAt = performance.now();
      if (endedAt >= from && endedAt < until) latencies.push(endedAt - startedAt);
    },
    // Failures always count: a load that fails during the warm-up is invalid.
    failed(what) {
      failures += 1;
      firstFailure ??= what;
    },
    result: () => ({ ...summarize(latencies, seconds), failures, firstFailure }),
  };
}

function summarize(latencies: number[], seconds: number): Pick<LoadResult, 'perSecond' | 'p50' | 'p99' | 'count'> {
  const sorted = Float64Array.from(latencies).sort();
  const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  return { perSecond: sorted.length / seconds, p50, p99, count: sorted.length };
}

/** The value at a percentile of sorted values; 0 when empty. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
