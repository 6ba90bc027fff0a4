import { z } from 'zod';
import { defineSettings } from '../../lib/settings/define-settings.ts';

export const accessSettings = defineSettings('access', {
  ACCESS_WHEN_STALE: {
    about:
      'Behaviour when the database has been unreachable for 5 seconds: refuse (503), deny, or answer from stale data.',
    example: 'deny',
    schema: z.enum(['refuse', 'deny', 'answer'], 'must be refuse, deny or answer').default('refuse'),
  },
});
