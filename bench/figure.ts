/** One line of the report. A ratio compares with the peer; a figure without one is compared with its bar directly. */
export type Figure = {
  name: string;
  value: string;
  /** What it stands beside: the floor it cannot pass or the peer it has to. */
  beside: string;
  ratio: number | null;
  /** The least and the greatest ratio of all rounds. */
  spread?: { least: number; most: number };
  bar: string;
  /** Null when it has no bar or was left out. */
  holds: boolean | null;
  /** Every round as it was measured, for `results.json`. */
  rounds: unknown;
};

/** A figure that could not be measured here, and why. */
export function leftOut(name: string, why: string): Figure {
  return { name, value: `left out: ${why}`, beside: '', ratio: null, bar: '', holds: null, rounds: [] };
}

/** The middle one of several by a number; of an even count the lower of the two. */
export function medianBy<T>(items: T[], numberOf: (item: T) => number): T {
  const sorted = [...items].sort((left, right) => numberOf(left) - numberOf(right));
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new Error('There is nothing to take the median of.');
  return middle;
}

/** The least and the greatest of the ratios of all rounds. */
export function spreadOf(ratios: number[]): { least: number; most: number } {
  return { least: Math.min(...ratios), most: Math.max(...ratios) };
}

/** The median of all rounds beside the most it may be, in the same unit. */
export function boundedFigure<Round>(
  name: string,
  rounds: Round[],
  of: (round: Round) => number,
  unit: string,
  bar: number,
): Figure {
  const value = of(medianBy(rounds, of));
  return {
    name,
    value: `${value.toFixed(value < 10 ? 2 : 0)} ${unit} (median of ${rounds.length})`,
    beside: '',
    ratio: null,
    bar: `≤ ${bar} ${unit}`,
    holds: value <= bar,
    rounds: rounds.map(of),
  };
}
