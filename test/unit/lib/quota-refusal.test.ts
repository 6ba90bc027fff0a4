import { describe, expect, test } from '@jest/globals';
import { type Meter, quotaError, refusalOf, requireTaken } from '../../../lib/clients/quota-refusal.ts';

const orgId = 'org_00000000000000000000000000';
const today = { start: '2026-11-28T00:00:00.000Z', end: '2026-11-29T00:00:00.000Z' };
const month = { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' };
const page = `/console/billing?orgId=${orgId}`;

type Case = [Meter, number, number, typeof today | null, message: string];

describe('the refusal of a quota', () => {
  test.each<Case>([
    ['context.eventsPerDay', 1000, 1000, today, '1,000 of 1,000 events used today. Resets at 00:00 UTC, or upgrade: '],
    [
      'mail.sendsPerMonth',
      500,
      500,
      month,
      '500 of 500 mails used this month. Resets on 1 December at 00:00 UTC, or upgrade: ',
    ],
    [
      'storage.bandwidthGbPerMonth',
      940_000_000,
      1_000_000_000,
      month,
      '940 MB of 1 GB of bandwidth used this month, too few left for this request. Resets on 1 December at 00:00 UTC, or upgrade: ',
    ],
    [
      'storage.storageGb',
      18_490_000_000,
      18_490_000_000,
      null,
      '18.4 GB of 18.4 GB of storage used. Delete objects, or upgrade: ',
    ],
    ['connect.agentSeats', 3, 1, null, '3 of 1 agent seats used. Remove an agent, or upgrade: '],
    [
      'hello.greetingsPerDay' as Meter,
      2,
      2,
      today,
      '2 of 2 units of hello.greetingsPerDay used today. Resets at 00:00 UTC, or upgrade: ',
    ],
  ])('of %s says the use, the limit, when it resets and where to upgrade', (meter, used, limit, period, message) => {
    const error = quotaError(refusalOf(meter, { outcome: 'exceeded', used, limit, period }), orgId);
    expect(error).toMatchObject({
      type: 'PLAN_LIMIT_EXCEEDED',
      code: 402,
      message: expect.stringMatching(/^.+ http\S+$/),
      data: {
        upgradeUrl: expect.stringContaining(page),
        quota: { meter, used, limit, resetsAt: period?.end ?? null },
      },
    });
    expect(error.message.replace(/http\S+$/, '')).toBe(message);
  });

  test.each([
    ['notIncluded', 'SERVICE_NOT_INCLUDED', 403],
    ['paymentRequired', 'PAYMENT_REQUIRED', 402],
    ['exceeded', 'PLAN_LIMIT_EXCEEDED', 402],
  ] as const)('that is %s without numbers is %s', (outcome, type, code) => {
    const error = quotaError(refusalOf('mail.sendsPerMonth', { outcome, limit: null, used: 0 }), orgId);
    expect(error).toMatchObject({ type, code, data: { upgradeUrl: expect.stringContaining(page) } });
    expect(error).not.toHaveProperty('data.quota');
  });

  test('is thrown for a reservation without a receipt, and not for one with it', () => {
    const request = { orgId, meter: 'mail.sendsPerMonth' } as const;
    expect(requireTaken({ outcome: 'taken', receipt: 'r' }, request)).toBe('r');
    expect(() => requireTaken({ outcome: 'taken', receipt: null }, request)).toThrow(
      expect.objectContaining({ type: 'UNAVAILABLE' }),
    );
    expect(() =>
      requireTaken({ outcome: 'exceeded', receipt: null, used: 5, limit: 5, period: month }, request),
    ).toThrow(
      expect.objectContaining({ type: 'PLAN_LIMIT_EXCEEDED', message: expect.stringContaining('5 of 5 mails') }),
    );
  });
});
