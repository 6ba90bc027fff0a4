import { defineSettings, z } from 'platform/service';

export const helloSettings = defineSettings('hello', {
  HELLO_KEPT_DAYS: {
    about: 'Retention of greetings in days.',
    example: '30',
    schema: z.coerce.number('must be a number').int().min(1, 'must be at least 1').default(30),
  },
});
