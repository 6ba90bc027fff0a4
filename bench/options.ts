import { parseArgs } from 'node:util';

/** Selectable figures, in the order of their measurement. */
export const figureNames = [
  'gateway',
  'identity',
  'access',
  'cache',
  'graph',
  'events',
  'stories',
  'size',
  'lists',
  'quota',
  'revocation',
  'streams',
  'connect',
  'storage',
  'mail',
  'neighbours',
  'database',
  'indexes',
  'start',
] as const;
export type FigureName = (typeof figureNames)[number];

export type Options = {
  only: readonly FigureName[];
  /** Measured seconds of each load; a warm-up of a third of that precedes it. */
  seconds: number;
  /** How often each figure and its peer are measured, alternately. */
  rounds: number;
  /** Whether measurements of several minutes are included. */
  long: boolean;
  /** Whether the figures are written into docs/performance.md. */
  write: boolean;
};

const usage = `Usage: npm run bench -- [options]
  --only name   measure one figure, may be repeated: ${figureNames.join(', ')} (default all)
  --seconds n   measured seconds of each load (default 3)
  --rounds n    rounds, of which the median is reported (default 5)
  --long        bursts of a minute, two million events, an index of a million documents
  --write       write the figures into the table of docs/performance.md`;

/** Parses the command line; null after printing the help. Throws an error with a readable message. */
export function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', multiple: true },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '5' },
      long: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    return null;
  }
  return {
    only: values.only?.map(figureName) ?? figureNames,
    seconds: wholeNumber('seconds', values.seconds),
    rounds: wholeNumber('rounds', values.rounds),
    long: values.long,
    write: values.write,
  };
}

function figureName(text: string): FigureName {
  const name = figureNames.find((candidate) => candidate === text);
  if (name) return name;
  throw new Error(`Unknown figure ${text}.\n${usage}`);
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new Error(`--${name} must be a whole number from 1.\n${usage}`);
}
