import type { Model } from 'mongoose';
import { z } from 'zod';
import type { Action } from '../../lib/contract/define-action.ts';
import { type consoleOutput, defineCommand } from '../../lib/contract/define-command.ts';
import { now, second } from '../../lib/data/clock.ts';
import { type Queue, redrive } from './dead-letters.ts';
import { countStatus, type DeliveryFields, maxCounted, openStatuses } from './documents.ts';

const shownDead = 20;
const across = { acrossTenants: true };

type Parts<D extends DeliveryFields> = Queue<D> & {
  /** The first word of the commands. */
  command: 'mail' | 'notify';
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
      async handler({ body: { what } }) {
        const total = await redrive(parts, what);
        return { lines: [total === 0 ? 'No such dead letter.' : `${total} queued again.`] };
      },
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
