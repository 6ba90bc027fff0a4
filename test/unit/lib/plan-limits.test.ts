import { describe, expect, test } from '@jest/globals';
import type { Context } from 'moleculer';
import { limitNames, limitsOf, type PlanLimits, requireRoom } from '../../../lib/clients/plan-limits.ts';
import { apiError } from '../../../lib/contract/errors.ts';

const orgId = 'org_00000000000000000000000000';
const limits = Object.fromEntries(limitNames.map((name) => [name, 3])) as PlanLimits;

/** A context whose calls end so. */
const answering = (answer: () => Promise<unknown>): Pick<Context, 'call'> => ({ call: answer as Context['call'] });

describe('the limits of an organization', () => {
  test('are those that billing describes', async () => {
    expect(
      await limitsOf(
        answering(async () => ({ limits })),
        orgId,
      ),
    ).toEqual(limits);
  });

  test.each([
    ['cannot be reached', Object.assign(new Error('No such service'), { code: 404, type: 'SERVICE_NOT_FOUND' })],
    ['has no database', apiError('UNAVAILABLE')],
    ['fails', apiError('INTERNAL')],
  ])('are unknown when billing %s', async (_why, error) => {
    expect(
      await limitsOf(
        answering(() => Promise.reject(error)),
        orgId,
      ),
    ).toBe('unknown');
  });

  test('are none of an organization that is gone', async () => {
    const asking = limitsOf(
      answering(() => Promise.reject(apiError('NOT_FOUND'))),
      orgId,
    );
    await expect(asking).rejects.toMatchObject({ type: 'NOT_FOUND' });
  });
});

describe('an addition', () => {
  const refusalOf = (present: number, added?: number, known: PlanLimits | 'unknown' = limits): unknown => {
    try {
      requireRoom(known, { orgId, name: 'apiKeys', present, ...(added !== undefined && { added }) });
      return null;
    } catch (error) {
      return error;
    }
  };

  test('is allowed up to the limit', () => {
    expect([refusalOf(2), refusalOf(0, 3), refusalOf(3, 0), refusalOf(9, 0)]).toEqual([null, null, null, null]);
  });

  test('beyond it is refused, with what is limited, the limit and where to upgrade', () => {
    for (const error of [refusalOf(3), refusalOf(2, 2), refusalOf(7)]) {
      expect(error).toMatchObject({
        type: 'PLAN_LIMIT_EXCEEDED',
        code: 402,
        message: 'The organization’s plan allows 3 API keys; remove some, or upgrade for more.',
        data: { upgradeUrl: expect.stringContaining(`/console/billing?orgId=${orgId}`) },
      });
    }
  });

  test('of a resource that a service declares has the limit of the declaration, once billing knows it', () => {
    const declared = { 'hello.greetings': { limit: 2, name: 'stored greetings' } };
    const refusal = (present: number, known: typeof declared | undefined) => {
      try {
        requireRoom({ ...limits, ...(known && { declared: known }) }, { orgId, name: 'hello.greetings', present });
        return null;
      } catch (error) {
        return error;
      }
    };
    expect(refusal(1, declared)).toBeNull();
    expect(refusal(2, declared)).toMatchObject({
      type: 'PLAN_LIMIT_EXCEEDED',
      message: 'The organization’s plan allows 2 stored greetings; remove some, or upgrade for more.',
    });
    expect(refusal(0, undefined)).toMatchObject({ type: 'UNAVAILABLE' });
  });

  test('is refused as unavailable while the limits are unknown, and what adds nothing is not', () => {
    expect(refusalOf(0, 1, 'unknown')).toMatchObject({ type: 'UNAVAILABLE' });
    expect(refusalOf(0, 0, 'unknown')).toBeNull();
  });
});
