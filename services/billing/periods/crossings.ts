/** The percentages of a limit whose crossing is told. */
export const levels = [80, 100] as const;

/** So many points below a level it counts as left, so that what goes up and down at it is not told again and again. */
const slack = 5;

/** `reached`: the levels that are to be told. `left`: those that were told and are to be told when they are crossed again. */
export type Crossings = { reached: number[]; left: number[] };

/** What has happened to the use of a limit since `warned` was told; both in the same unit. Of nought nothing can be used. */
export function crossingsOf({ used, limit, warned }: { used: number; limit: number; warned: number[] }): Crossings {
  if (limit <= 0) return { reached: [], left: [] };
  const isAt = (percent: number) => used * 100 >= percent * limit;
  return {
    reached: levels.filter((level) => isAt(level) && !warned.includes(level)),
    left: warned.filter((level) => !isAt(level - slack)),
  };
}
