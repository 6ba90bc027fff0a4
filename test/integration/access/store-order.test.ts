import { describe, expect, test } from '@jest/globals';
import { register } from 'prom-client';
import { newId } from '../../../lib/data/ids.ts';
import { singleFlight } from '../../../services/access/store/synchroniser.ts';
import { assigned, make, newOrganization, ownStores } from './own-stores.ts';

const own = ownStores();

describe('runs of which one at a time goes on', () => {
  test('begin after everybody who is served by them has asked', async () => {
    let truth = 0;
    const seen: number[] = [];
    const ends: (() => void)[] = [];
    const refresh = singleFlight(async () => {
      const read = truth;
      await new Promise<void>((resolve) => ends.push(resolve));
      seen.push(read);
    });
    truth = 1;
    const first = refresh('org');
    truth = 2;
    const [second, third] = [refresh('org'), refresh('org')];
    ends.shift()?.();
    await first;
    expect(seen).toEqual([1]);
    await Promise.resolve();
    ends.shift()?.();
    await Promise.all([second, third]);
    expect(seen).toEqual([1, 2]);
  });

  test('that fail are followed by others', async () => {
    let runs = 0;
    const refresh = singleFlight(() => {
      runs += 1;
      return runs === 1 ? Promise.reject(new Error('no')) : Promise.resolve();
    });
    const [first, second] = [refresh('org'), refresh('org')];
    await expect(first).rejects.toThrow('no');
    await second;
    await refresh('org');
    expect(runs).toBe(3);
  });
});

test('the metrics tell how large the graph is, which revisions it has, and how long ago it was confirmed', async () => {
  const node = await own.open();
  const { orgId } = await newOrganization(node);
  const readGauge = async (name: string) =>
    (await register.getSingleMetric(name)?.get())?.values[0]?.value ?? Number.NaN;
  const names = ['access_graph_organizations', 'access_graph_assignments', 'access_graph_revisions'];
  const before = await Promise.all(names.map(readGauge));
  await make(node, orgId, assigned(newId('usr'), 'role_member'));
  const after = await Promise.all(names.map(readGauge));
  expect(after.map((value, index) => value - before[index]!)).toEqual([0, 1, 1]);
  expect(await readGauge('access_revision_lag_seconds')).toBeLessThan(5);
});
