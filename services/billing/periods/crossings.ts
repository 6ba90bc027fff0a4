/** The percentages of a limit whose crossing is reported. */
export const levels = [80, 100] as const;

/**
 * The hysteresis in percentage points: usage counts as below a level only this far under it, so that a level is not
 * reported over and over.
 */
const slack = 5;

/**
 * `reached`: the levels to report. `left`: the reported levels that usage fell below; they are reported again when
 * crossed again.
 */
export type Crossings = { reached: number[]; left: number[] };

/** The crossings since `warned` was reported; `used` and `limit` in the same unit. A limit of zero reports nothing. */
export function crossingsOf({ used, limit, warned }: { used: number; limit: number; warned: number[] }): Crossings {
  if (limit <= 0) return { reached: [], left: [] };
  const isAt = (percent: number) => used * 100 >= percent * limit;
  return {
    reached: levels.filter((level) => isAt(level) && !warned.includes(level)),
    left: warned.filter((level) => !isAt(level - slack)),
  };
}
