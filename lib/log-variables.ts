import { z } from 'zod';

/** The environment variables that decide what is logged, and how it looks. */
export const logVariables = {
  LOG_LEVEL: {
    about: 'Minimum level that is logged.',
    example: 'info',
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  },
  ACCESS_LOG_EVERY: {
    about: 'Log one in this many successful requests. Rejected and failed ones are always logged.',
    example: '10',
    schema: z.coerce
      .number('must be a number')
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(100_000, 'must be at most 100000')
      .default(1),
  },
  LOG_FORMAT: {
    about: 'json or text. Unset: text on a terminal and in development, json in production.',
    example: 'json',
    schema: z.enum(['json', 'text']).optional(),
  },
};
