import { describe, expect, test } from '@jest/globals';
import { createAdmission, hasLargeBody } from '../../../http/admission.ts';

describe('the admission of costly requests', () => {
  test('runs two of an organization, and the next when one ends, in their order', async () => {
    const admit = createAdmission({ maxConcurrent: 2, maxQueued: 10 });
    const started: string[] = [];
    const begin = (name: string) =>
      admit('org_1').then((release) => {
        started.push(name);
        return release;
      });
    const [first, , third, fourth] = ['first', 'second', 'third', 'fourth'].map(begin);
    const release = await first!;
    expect(started).toEqual(['first', 'second']);
    release();
    release();
    await third;
    expect(started).toEqual(['first', 'second', 'third']);
    (await third!)();
    await fourth;
    expect(started).toEqual(['first', 'second', 'third', 'fourth']);
  });

  test('keeps no organization waiting for another, and refuses what is beyond the queue', async () => {
    const admit = createAdmission({ maxConcurrent: 1, maxQueued: 1 });
    const release = await admit('org_1');
    const waiting = admit('org_1');
    await expect(admit('org_1')).rejects.toMatchObject({ type: 'RATE_LIMITED' });
    (await admit('org_2'))();
    release();
    (await waiting)();
    (await admit('org_1'))();
  });

  test.each([
    [{}, false],
    [{ 'content-length': '32768' }, false],
    [{ 'content-length': '32769' }, true],
    [{ 'transfer-encoding': 'chunked' }, true],
  ])('takes %j for a large body: %s', (headers, isLarge) => {
    expect(hasLargeBody({ headers })).toBe(isLarge);
  });
});
