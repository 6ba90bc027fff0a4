import { describe, expect, test } from '@jest/globals';

// Settings are read when they are first imported.
process.env.ALLOWED_ORIGINS = 'https://app.example.com';
const { settings } = await import('../../../lib/settings/settings.ts');
const { requireReturnUrls } = await import('../../../services/billing/checkouts/open-checkout.ts');

/** The organization's clients have browsers sent to one origin. */
const ctx = { call: () => Promise.resolve({ origins: ['https://client.example.com'] }) };
const own = `${settings.PUBLIC_URL}/done`;
const requireAll = (successUrl: string, cancelUrl: string) =>
  requireReturnUrls(ctx as never, 'org_1', { successUrl, cancelUrl });

describe('A payer', () => {
  test.each([
    ['the platform', own],
    ['a client of the organization', 'https://client.example.com/a?b#c'],
    ['an origin that the operator allows', 'https://app.example.com/paid?plan=pro'],
  ])('may be sent back to %s', async (_what, url) => {
    expect(await requireAll(url, url)).toEqual({ successUrl: url, cancelUrl: url });
  });

  test.each([
    ['a longer name', 'https://app.example.com.evil.example/'],
    ['a name below it', 'https://evil.app.example.com/'],
    ['another port', 'https://app.example.com:8443/'],
    ['another scheme', 'http://app.example.com/'],
    ['user information', 'https://app.example.com@evil.example/'],
  ])('is not sent to %s of what the operator allows', async (_what, url) => {
    await expect(requireAll(url, own)).rejects.toMatchObject({
      type: 'INPUT_INVALID',
      data: { details: [{ path: 'body.successUrl' }] },
    });
    await expect(requireAll(own, url)).rejects.toMatchObject({ data: { details: [{ path: 'body.cancelUrl' }] } });
  });
});
