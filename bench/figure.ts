/** One line of the report. A ratio compares with the peer; a figure without one is compared with its bar directly. */
export type Figure = {
  name: string;
  value: string;
  /** The comparison: a lower bound, or a peer to beat. */
  beside: string;
  ratio: number | null;
  /** The minimum and maximum ratio of all rounds. */
  spread?: { least: number; most: number };
  bar: string;
  /** Null when it has no bar or was skipped. */
  holds: boolean | null;
  /** Every round as measured, for `results.json`. */
  rounds: unknown;
};

/** A figure that could not be measured here, and why. */
export function leftOut(name: string, why: string): Figure {
  return { name, value: `skipped: ${why}`, beside: '', ratio: null, bar: '', holds: null, rounds: [] };
}

/** The median item by a number; for an even count the lower one. */
export function medianBy<T>(items: T[], numberOf: (item: T) => number): T {
  const sorted = [...items].sort((left, right) => numberOf(left) - numberOf(right));
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new Error('The median of an empty list is undefined.');
  return middle;
}

/** The minimum and maximum ratio of all rounds. */
export function spreadOf(ratios: number[]): { least: number; most: number } {
  return { least: Math.min(...ratios), most: Math.max(...ratios) };
}

/** Compares the median of all rounds with a maximum in the same unit. */
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
