import { styleText } from 'node:util';
import type { LoadResult } from './load/result.ts';
import { stolenFromNow } from './machine.ts';

/** Above this share of the processors' time, steal slows a round down noticeably. */
const notableShare = 0.02;
let stolen = stolenFromNow();

/**
 * Prints the progress to stderr, so that only the report goes to a pipe; and the share of the processors' time that the
 * host has given to other machines since the last line, if it was noticeable.
 */
export function say(text: string): void {
  const share = stolen();
  stolen = stolenFromNow();
  const note = share < notableShare ? '' : ` (${shareText(share)} of the processors stolen)`;
  process.stderr.write(`${styleText('dim', new Date().toISOString().slice(11, 19))} ${text}${note}\n`);
}

/** `4.5 %`. */
export function shareText(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** `1,234 req/s, p50 2.1 ms, p99 9.8 ms`. */
export function describeLoad({ perSecond, p50, p99 }: LoadResult, unit: string): string {
  const rate = Math.round(perSecond).toLocaleString('en');
  return `${rate} ${unit}, p50 ${describeTime(p50)}, p99 ${describeTime(p99)}`;
}

function describeTime(milliseconds: number): string {
  if (milliseconds < 0.1) return `${(milliseconds * 1000).toFixed(1)} µs`;
  return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
}
