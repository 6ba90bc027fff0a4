import { z } from 'zod';

/** An instant in an input: ISO 8601 in UTC with milliseconds, which every timestamp of the platform is. */
export const instantInput = z.iso
  .datetime({ precision: 3, abort: true, error: 'Send UTC with milliseconds, such as 2030-01-31T12:00:00.000Z.' })
  .transform((text) => new Date(text));

/** An instant in an output, as `toISOString` of a Date writes it. */
export const timestamp = z.iso.datetime({ precision: 3 });
