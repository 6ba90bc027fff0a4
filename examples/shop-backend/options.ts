import { parseArgs } from 'node:util';

const usage = `Usage: npm run example -- [options]
  --seed n        seed of the shop (default 1)
  --customers n   number of customers (default 200)
  --days n        days of history (default 90)
  --until date    the day its history ends at 00:00 UTC (default today)
  --url address   the platform's address (default PLATFORM_URL or first-run.json)`;

export type Options = {
  seed: number;
  customers: number;
  days: number;
  /** `YYYY-MM-DD`. */
  until: string;
  url: string | undefined;
};

/** Parses the command line; throws an error with a readable message. `--help` prints the usage and exits. */
export function readOptions(args: string[]): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: { seed: text, customers: text, days: text, until: text, url: text, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  return {
    seed: wholeNumber('seed', values.seed ?? '1', 0),
    customers: wholeNumber('customers', values.customers ?? '200', 1),
    days: wholeNumber('days', values.days ?? '90', 1),
    until: pastDay(values.until ?? new Date().toISOString().slice(0, 10)),
    url: values.url,
  };
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new Error(`--${name} must be a whole number from ${least}.\n${usage}`);
}

function pastDay(text: string): string {
  const instant = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  if (instant <= Date.now()) return text;
  throw new Error(`--until must be a day such as 2026-01-31, not later than today.\n${usage}`);
}
