import { z } from 'zod';
import { defineAction } from '../../../../lib/action.ts';
import { type CallOutput, call } from '../../../../lib/calls.ts';
import { type ConsoleOutput, consoleOutput } from '../../../../lib/said.ts';

/** Seconds of the units that one types: `+31d`, `+12h`, `+90m`. */
const units: Record<string, number> = { d: 24 * 3600, h: 3600, m: 60 };

/** `billing.console.clock`, for the console: moves the clock of billing, sets it back, or shows it. */
export const clock = defineAction({
  summary: 'Move the clock of billing',
  permission: 'internal',
  input: { body: z.strictObject({ change: z.string().max(20) }) },
  output: consoleOutput,
  limits: { milliseconds: 0 },
  async handler({ body: { change }, ctx }): Promise<ConsoleOutput> {
    if (change === 'reset') return tell(await call(ctx, 'billing.clock.reset', {}));
    const seconds = change === '' ? 0 : secondsOf(change);
    if (seconds === null) return { lines: ['Usage: billing:clock +31d | +12h | +90m | reset'] };
    return tell(await call(ctx, 'billing.clock.move', { body: { seconds } }));
  },
});

function secondsOf(change: string): number | null {
  const [, count = '', unit = ''] = /^\+?(\d{1,6})([dhm])$/.exec(change) ?? [];
  return count === '' ? null : Number(count) * (units[unit] ?? 0);
}

function tell({ now, offsetSeconds }: CallOutput<'billing.clock.move'>) {
  const distance = offsetSeconds === 0 ? 'the real time' : `${offsetSeconds} seconds ahead of the real time`;
  return { lines: [`Billing's clock is at ${now}, ${distance}.`] };
}

declare module '../../../../lib/calls.ts' {
  interface Calls {
    'billing.console.clock': typeof clock;
  }
}
