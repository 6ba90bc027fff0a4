import { describe, expect, test } from '@jest/globals';
import { type DeliveryFields, newDelivery } from '../../../messaging/delivery/documents.ts';
import { createOutcomes } from '../../../messaging/delivery/outcomes.ts';
import type { Claim, Outcome, Queue } from '../../../messaging/delivery/queue.ts';

type Fields = DeliveryFields;
type Settling = Pick<Queue<Fields>, 'settle' | 'settleAll'>;

const sent = { fields: { status: 'sent' } };
const claimOf = (name: number): Claim<Fields> => ({
  ...newDelivery(new Date()),
  _id: `msg_${name}`,
  orgId: 'org_1',
  leaseOwner: 'here',
});

/** Stores ten outcomes in a queue that behaves so, and says what was stored and what was logged. */
async function storeTen(queueOf: (settled: Map<string, number>) => Settling) {
  const settled = new Map<string, number>();
  const stored: string[] = [];
  const warnings: unknown[] = [];
  const logger = { warn: (...all: unknown[]) => void warnings.push(all) };
  const store = createOutcomes(queueOf(settled), { stored: ({ _id }) => void stored.push(_id) }, logger as never);
  await Promise.all(Array.from({ length: 10 }, (_, name) => store(claimOf(name), sent)));
  return { settled, stored: stored.sort(), warnings };
}

const all = Array.from({ length: 10 }, (_, name) => `msg_${name}`);
const note = (settled: Map<string, number>, { claim: { _id } }: Outcome<Fields>) =>
  void settled.set(_id, (settled.get(_id) ?? 0) + 1);

describe('outcomes that are stored together', () => {
  test('are stored again where the database refused them, and those alone', async () => {
    let commands = 0;
    const { settled, stored, warnings } = await storeTen((settledTimes) => ({
      settle: () => Promise.reject(new Error('Not asked one by one.')),
      settleAll(outcomes) {
        commands += 1;
        const isRefused = ({ claim: { _id } }: Outcome<Fields>) => commands === 1 && /[37]$/.test(_id);
        for (const outcome of outcomes) if (!isRefused(outcome)) note(settledTimes, outcome);
        return Promise.resolve(new Map(outcomes.filter(isRefused).map((one) => [one, new Error('refused')])));
      },
    }));
    expect(stored).toEqual(all);
    expect([...settled.values()]).toEqual(all.map(() => 1));
    expect(warnings).toEqual([]);
  });

  test('are stored one by one where the command fails as a whole, so that one that cannot be fails alone', async () => {
    const { settled, stored, warnings } = await storeTen((settledTimes) => ({
      settle(outcome) {
        if (outcome.claim._id === 'msg_4') return Promise.reject(new Error('It cannot be encoded.'));
        note(settledTimes, outcome);
        return Promise.resolve(true);
      },
      settleAll: () => Promise.reject(new Error('It cannot be encoded.')),
    }));
    const others = all.filter((id) => id !== 'msg_4');
    expect([stored, [...settled.keys()].sort()]).toEqual([others, others]);
    expect(warnings).toMatchObject([[expect.anything(), { id: 'msg_4' }]]);
  }, 30_000);

  test('wait for a database that cannot write now', async () => {
    let commands = 0;
    const { stored, warnings } = await storeTen((settledTimes) => ({
      settle: () => Promise.reject(new Error('Not asked one by one.')),
      settleAll(outcomes) {
        commands += 1;
        if (commands === 1) return Promise.reject(Object.assign(new Error('stepped down'), { code: 189 }));
        for (const outcome of outcomes) note(settledTimes, outcome);
        return Promise.resolve(new Map());
      },
    }));
    expect([stored, warnings]).toEqual([all, []]);
  });
});
