import { z } from 'zod';

/** An instant in an input: ISO 8601 in UTC with milliseconds, the format of every timestamp of the platform. */
export const instantInput = z.iso
  .datetime({ precision: 3, abort: true, error: 'Must be UTC with milliseconds, such as 2030-01-31T12:00:00.000Z.' })
  .transform((text) => new Date(text));

/** An instant in an output, in the format of `Date.toISOString`. */
export const timestamp = z.iso.datetime({ precision: 3 });
