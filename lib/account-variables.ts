import { z } from 'zod';
import { count, secret } from './setting-schemas.ts';

/** With the other parameters in `password.ts`, the strength that OWASP's password storage cheat sheet requires. */
export const minPasswordCost = 14;

/** The environment variables about accounts. */
export const accountVariables = {
  ADMIN_EMAIL: {
    about: 'Email of the first user, created on an empty database.',
    example: 'admin@example.com',
    schema: z
      .string()
      .regex(/^[^\s@]+@[^\s@]+$/, 'must be an email address')
      .default('admin@localhost'),
  },
  ADMIN_PASSWORD: {
    about: 'Password of the first user. Unset: generated and printed once.',
    example: 'correct horse battery staple',
    schema: secret(8, 256).optional(),
  },
  PASSWORD_COST: {
    about:
      'Cost of scrypt for new passwords, as a power of two; each increment doubles the time and memory of a hash. ' +
      `Below ${minPasswordCost} only for tests.`,
    example: '15',
    schema: count.min(8, 'must be at least 8').max(18, 'must be at most 18').default(minPasswordCost),
  },
  ORGANIZATIONS_PER_USER: {
    about: 'Maximum number of organizations that a user can create; deleted ones do not count.',
    example: '10',
    schema: count.max(100, 'must be at most 100').default(10),
  },
};
