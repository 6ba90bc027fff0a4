import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { builtInMeterNames, limitIn, meterOf, unitsOf } from '../../../services/billing/quota/meters.ts';
import { allowanceIn, counterAt, periodOf } from '../../../services/billing/quota/shapes.ts';
import { grantableOf } from '../../../services/billing/quota/take.ts';

const unitRequest = fc.record({ amount: fc.integer({ min: 1, max: 20 }), isPartly: fc.boolean() });

/** Grants each request what it gets of what is left. */
function allocate(requests: { amount: number; isPartly: boolean }[], available: number): number[] {
  let left = available;
  return requests.map((request) => {
    const granted = grantableOf(request, left);
    left -= granted;
    return granted;
  });
}

describe('who gets how much of what is left', () => {
  test('is decided first come, first served', () => {
    const whole = (amount: number) => ({ amount, isPartly: false });
    expect(allocate([whole(3), whole(3), whole(2), whole(1)], 5)).toEqual([3, 0, 2, 0]);
    expect(allocate([whole(3), { amount: 9, isPartly: true }, whole(1)], 5)).toEqual([3, 2, 0]);
    expect(allocate([whole(1), { amount: 9, isPartly: true }], -4)).toEqual([0, 0]);
    expect(allocate([], 5)).toEqual([]);
  });

  test('is never more than there is, and nobody is refused what is left for them', () => {
    const property = fc.property(fc.array(unitRequest), fc.integer({ min: -5, max: 100 }), (requests, left) => {
      const granted = allocate(requests, left);
      let remaining = Math.max(0, left);
      for (const [place, amount] of granted.entries()) {
        const { amount: wanted, isPartly } = requests[place]!;
        const due = wanted <= remaining ? wanted : isPartly ? remaining : 0;
        expect(amount).toBe(due);
        remaining -= amount;
      }
      expect(remaining).toBeGreaterThanOrEqual(0);
    });
    fc.assert(property);
  });
});

describe('the period of a meter', () => {
  test.each([
    ['2028-02-29T23:59:59.999Z', '2028-02-29', '2028-03-01', '2028-02-01', '2028-03-01'],
    ['2028-03-01T00:00:00.000Z', '2028-03-01', '2028-03-02', '2028-03-01', '2028-04-01'],
    ['2029-12-31T12:00:00.000Z', '2029-12-31', '2030-01-01', '2029-12-01', '2030-01-01'],
  ])('at %s is the day or the month by UTC', (at, dayStart, dayEnd, monthStart, monthEnd) => {
    const instant = new Date(at);
    expect(periodOf('context.eventsPerDay', instant)).toEqual({ start: new Date(dayStart), end: new Date(dayEnd) });
    expect(periodOf('mail.sendsPerMonth', instant)).toEqual({ start: new Date(monthStart), end: new Date(monthEnd) });
    expect(periodOf('storage.storageGb', instant)).toBeNull();
  });

  test('is in the name of its counter, and a gauge has one for ever', () => {
    const at = new Date('2030-01-31T23:59:59.999Z');
    expect(counterAt('org_a', 'context.eventsPerDay', at)._id).toBe(
      'org_a:context.eventsPerDay:2030-01-31T00:00:00.000Z',
    );
    expect(counterAt('org_a', 'mail.sendsPerMonth', at)._id).toBe('org_a:mail.sendsPerMonth:2030-01-01T00:00:00.000Z');
    expect(counterAt('org_a', 'connect.agentSeats', at)._id).toBe('org_a:connect.agentSeats:gauge');
  });

  test('holds every instant, and the next begins where it ends', () => {
    const instants = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    const property = fc.property(instants, fc.constantFrom(...builtInMeterNames), (instant, meter) => {
      const period = periodOf(meter, instant);
      if (!period) return expect(meterOf(meter).kind).toBe('gauge');
      expect(+period.start).toBeLessThanOrEqual(+instant);
      expect(+period.end).toBeGreaterThan(+instant);
      expect(periodOf(meter, period.end)!.start).toEqual(period.end);
    });
    fc.assert(property);
  });
});

describe('the limit of a meter', () => {
  const entitlements = {
    context: { enabled: true, eventsPerDay: 1000, contextRetentionDays: 30 },
    intelligence: { enabled: false },
    connect: { enabled: true, channels: ['web'], agentSeats: 1 },
    notification: { enabled: true, sendsPerMonth: 100 },
    mail: { enabled: true, sendsPerMonth: 500 },
    storage: { enabled: true, storageGb: 1.5, bandwidthGbPerMonth: 5 },
    content: { enabled: false },
    pulse: { enabled: false },
  } as const;
  const plan = { ...entitlements, connect: { ...entitlements.connect, channels: ['web'] } };
  const granted = { grantedPlan: 'pro' as const, entitlements: plan };

  test('is the one of its name in the entitlements', () => {
    expect(builtInMeterNames.map((meter) => limitIn(granted, meter))).toEqual([1000, null, 100, 500, 5, 1.5, 1]);
  });

  test('is counted in whole units', () => {
    expect(unitsOf(1.5, 'storage.storageGb')).toBe(1_500_000_000);
    expect(unitsOf(1000, 'context.eventsPerDay')).toBe(1000);
  });

  test('is none where the group is not included, and nothing works once a subscription has expired', () => {
    const at = (status: 'active' | 'past_due' | 'expired', meter: (typeof builtInMeterNames)[number]) =>
      allowanceIn({ status, ...granted }, meter);
    expect(at('active', 'intelligence.recommendationsPerDay')).toEqual({ outcome: 'notIncluded' });
    expect(at('past_due', 'mail.sendsPerMonth')).toEqual({ outcome: 'included', limit: 500 });
    expect(at('expired', 'mail.sendsPerMonth')).toEqual({ outcome: 'paymentRequired' });
  });
});
