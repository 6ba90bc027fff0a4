import { type Figure, medianBy, spreadOf } from './figure.ts';
import type { LoadResult } from './load/result.ts';
import type { Options } from './options.ts';
import { describeLoad, say } from './progress.ts';

export type Comparison = {
  name: string;
  subject: () => Promise<LoadResult>;
  /** Name of the peer in the report. */
  besideName: string;
  beside: () => Promise<LoadResult>;
  unit: string;
  /** The minimum ratio of subject to peer. */
  atLeast?: number;
  /** The maximum 99th percentile of the subject, in milliseconds. */
  p99AtMost?: number;
};

/**
 * Measures subject and peer alternately, so that other load of the machine affects both, and reports the round with the
 * median ratio, with the median of all rounds' 99th percentiles. A subject with a failed answer has no figure.
 */
export async function compare(options: Options, comparison: Comparison): Promise<Figure> {
  const { name, besideName, unit } = comparison;
  const rounds: { subject: LoadResult; beside: LoadResult; ratio: number }[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    const beside = withoutFailure(besideName, await comparison.beside());
    const subject = withoutFailure(name, await comparison.subject());
    const ratio = subject.perSecond / beside.perSecond;
    rounds.push({ subject, beside, ratio });
    say(
      `${name}, round ${round}/${options.rounds}: ${describeLoad(subject, unit)}; ${besideName}: ${describeLoad(beside, unit)}`,
    );
  }
  const median = medianBy(rounds, ({ ratio }) => ratio);
  // The tail latencies vary more from round to round than the rates do, and independently of them.
  const { p99 } = medianBy(rounds, ({ subject }) => subject.p99).subject;
  return {
    name,
    value: describeLoad({ ...median.subject, p99 }, unit),
    beside: `${besideName}: ${describeLoad(median.beside, unit)}`,
    ratio: median.ratio,
    spread: spreadOf(rounds.map((round) => round.ratio)),
    ...judge(comparison, median.ratio, p99),
    rounds,
  };
}

function judge({ atLeast, p99AtMost }: Comparison, ratio: number, p99: number): Pick<Figure, 'bar' | 'holds'> {
  const bars = [
    ...(atLeast === undefined ? [] : [{ text: `≥ ${atLeast} ×`, holds: ratio >= atLeast }]),
    ...(p99AtMost === undefined ? [] : [{ text: `p99 ≤ ${p99AtMost} ms`, holds: p99 <= p99AtMost }]),
  ];
  const holds = bars.length === 0 ? null : bars.every((bar) => bar.holds);
  return { bar: bars.map(({ text }) => text).join(', '), holds };
}

function withoutFailure(name: string, result: LoadResult): LoadResult {
  if (result.failures === 0 && result.count > 0) return result;
  throw new Error(`${name}: ${result.failures} failures, ${result.count} successes; the first: ${result.firstFailure}`);
}
