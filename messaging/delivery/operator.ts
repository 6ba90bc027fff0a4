import type { Model } from 'mongoose';
import { z } from 'zod';
import type { Action } from '../../lib/contract/define-action.ts';
import { type consoleOutput, defineCommand } from '../../lib/contract/define-command.ts';
import { now, second } from '../../lib/data/clock.ts';
import { maxBatchSize } from '../../lib/data/collection.ts';
import { pagesById, tenantsOf } from '../../lib/data/sweep.ts';
import type { Signal } from './deliverer.ts';
import { countStatus, type DeliveryFields, maxCounted, openStatuses } from './documents.ts';

const shownDead = 20;
const across = { acrossTenants: true };

type Parts<D extends DeliveryFields> = {
  /** The first word of the commands. */
  command: 'mail' | 'notify';
  /** The plural of the queued documents, and the prefix of their ids. */
  of: { plural: string; id: string };
  model: Model<D>;
  wake: Signal;
};

type OperatorActions = {
  'console.queue': Action<{ body: z.ZodObject }, typeof consoleOutput>;
  'console.redrive': Action<{ body: z.ZodObject<{ what: z.ZodString }> }, typeof consoleOutput>;
};

/**
 * The operator commands for a service's queue. `queue` shows its status counts and the newest dead letters. `redrive`
 * queues dead letters again: one by its id, all of an organization, or `all`.
 */
export function operatorActions<D extends DeliveryFields>(parts: Parts<D>): OperatorActions {
  const { command, of } = parts;
  return {
    'console.queue': defineCommand({
      commands: [
        {
          usage: `${command}:queue`,
          description: `The queue of ${of.plural}: counts by status, the oldest, and the newest dead letters`,
        },
      ],
      body: z.strictObject({}),
      handler: async () => ({ lines: await describeQueue(parts.model) }),
    }) as OperatorActions['console.queue'],
    'console.redrive': defineCommand({
      commands: [
        {
          usage: `${command}:redrive <what>`,
          description: `Retry dead letters: one (${of.id}_…), all of an organization (org_…), or all`,
          changes: true,
        },
      ],
      body: z.strictObject({ what: z.string().max(100) }),
      handler: async ({ body: { what } }) => ({ lines: [await redrive(parts, what)] }),
    }),
  };
}

async function describeQueue<D extends DeliveryFields>(model: Model<D>): Promise<string[]> {
  const lines: string[] = [];
  for (const status of [...openStatuses, 'failed']) {
    const count = await countStatus(model, status);
    lines.push(`${status}: ${count}${count === maxCounted ? ' or more' : ''}`);
  }
  const oldest = await model
    .findOne({ status: 'queued' } as never, { nextAttemptAt: 1 })
    .setOptions(across)
    .sort({ nextAttemptAt: 1 })
    .lean<DeliveryFields>();
  const age = oldest ? Math.round((now().getTime() - oldest.nextAttemptAt.getTime()) / second) : 0;
  lines.push(`oldest ready: ${age} s`);
  const dead = await model
    .find({ status: 'failed' } as never)
    .setOptions(across)
    .sort({ nextAttemptAt: -1 })
    .limit(shownDead)
    .lean<DeliveryFields[]>();
  return [...lines, ...dead.map(describeDead)];
}

function describeDead({ _id, orgId, attempts, lastFailure, lastError, updatedAt }: DeliveryFields): string {
  const cause = `${lastFailure ?? 'unknown'}: ${lastError ?? ''}`;
  return `${updatedAt.toISOString()} ${_id} of ${orgId}, ${attempts} attempts, ${cause}`;
}

/**
 * Queues dead letters again, with the full number of attempts: one by its id, all of an organization, or `all`. Each is
 * queued once, so the command ends even if some die again while it runs.
 */
async function redrive<D extends DeliveryFields>({ model, wake }: Parts<D>, what: string): Promise<string> {
  let count = 0;
  if (what === 'all') {
    for await (const [{ orgId }] of tenantsOf([model], { status: 'failed' })) {
      count += await redriveTenant(model, orgId);
    }
  } else if (what.startsWith('org_')) count = await redriveTenant(model, what);
  else count = await queueAgain(model, { _id: what });
  wake.wake();
  return count === 0 ? 'No such dead letter.' : `${count} queued again.`;
}

async function redriveTenant<D extends DeliveryFields>(model: Model<D>, orgId: string): Promise<number> {
  let count = 0;
  for await (const page of pagesById(model, { status: 'failed', orgId }, maxBatchSize, { _id: 1, orgId: 1 })) {
    count += await queueAgain(model, { orgId, _id: { $in: page.map(({ _id }) => _id) } });
  }
  return count;
}

async function queueAgain<D extends DeliveryFields>(model: Model<D>, filter: object): Promise<number> {
  const at = now();
  const requeued = { status: 'queued', attempts: 0, nextAttemptAt: at, startedAt: at, updatedAt: at };
  const dead = { ...filter, status: 'failed' };
  return (await model.updateMany(dead as never, { $set: requeued } as never).setOptions(across)).modifiedCount;
}
