import { describe, expect, test } from '@jest/globals';
import type { Client } from '../../../gateway/oauth/clients.ts';
import { consentBody } from '../../../gateway/oauth/pages.ts';

const client = { applicationName: 'Roast planner', organizationName: 'Roastery Nord' } as Client;
const words = (scopes: string[]): string =>
  consentBody({ client, email: 'nora@example.com', scopes, action: '/x', flow: 'f' })
    .toString()
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ');

describe('the consent page', () => {
  test.each([[['mail.send']], [['openid', 'svc:read']]])(
    'says what bounds the permissions in the organization: %j',
    (scopes) => {
      expect(words(scopes)).toContain('In Roastery Nord, it can only do what your role allows.');
      expect(words(scopes)).toContain('You can remove its access at any time');
    },
  );

  test('says nothing of a role where no permission is asked for', () => {
    const shown = words(['openid', 'profile', 'email', 'offline_access']);
    expect(shown).not.toMatch(/role|other organizations/);
    expect(shown).toContain('You can remove its access at any time');
  });
});
