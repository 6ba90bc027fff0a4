import type { Model } from 'mongoose';
import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { afterInstant, pageOf, pageQuery, timestamp, toPage } from '../../lib/contract/input.ts';
import { now } from '../../lib/data/clock.ts';
import { maxBatchSize } from '../../lib/data/collection.ts';
import { pagesById, tenantsOf } from '../../lib/data/sweep.ts';
import type { Signal } from './deliverer.ts';
import type { DeliveryFields } from './documents.ts';

const across = { acrossTenants: true };

/** A service's queue: the plural of its documents, the prefix of their ids, and how delivery learns of new ones. */
export type Queue<D extends DeliveryFields> = { of: { plural: string; id: string }; model: Model<D>; wake: Signal };

/**
 * Queues dead letters again, with the full number of attempts: one by its id, all of an organization, or `all`. Each is
 * queued once, so it ends even if some die again while it runs. `record` is called for each organization before the next
 * one begins, so that an interruption leaves no act unrecorded. Returns their number.
 */
export async function redrive<D extends DeliveryFields>(
  { model, wake }: Queue<D>,
  what: string,
  record: (orgId: string, count: number) => Promise<void> = async () => undefined,
): Promise<number> {
  let total = 0;
  for await (const [orgId, count] of requeue(model, what)) {
    if (count === 0) continue;
    total += count;
    wake.wake();
    await record(orgId, count);
  }
  return total;
}

/** Queues the dead letters again, an organization at a time, with their number. */
async function* requeue<D extends DeliveryFields>(
  model: Model<D>,
  what: string,
): AsyncGenerator<[orgId: string, count: number]> {
  if (what === 'all') {
    for await (const [{ orgId }] of tenantsOf([model], { status: 'failed' })) {
      yield [orgId, await redriveTenant(model, orgId)];
    }
  } else if (what.startsWith('org_')) yield [what, await redriveTenant(model, what)];
  else {
    const dead = await model
      .findOne({ _id: what } as never, { orgId: 1 })
      .setOptions(across)
      .lean<DeliveryFields>();
    if (dead) yield [dead.orgId, await queueAgain(model, { orgId: dead.orgId, _id: what })];
  }
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

const deadLetterOutput = z
  .strictObject({
    id: z.string(),
    orgId: z.string(),
    attempts: z.int().describe('How often the delivery was tried.'),
    failure: z.string().nullable().describe('The kind of the last failure; null if unknown.'),
    error: z.string().nullable().describe('What the last attempt was answered; null if unknown.'),
    failedAt: timestamp.describe('When the delivery was given up.'),
    createdAt: timestamp,
  })
  .meta({ id: 'DeadLetter' });

const requeuedOutput = z
  .strictObject({ requeued: z.int().describe('How many dead letters were queued again.') })
  .meta({ id: 'RequeuedDeadLetters' });

const redriveInput = z
  .strictObject({ what: z.string().max(100).describe('The id of a dead letter, the id of an organization, or `all`.') })
  .meta({ id: 'RedriveInput' });

/**
 * The endpoints of operators for the dead letters of a service's queue, below `/operator/<plural>/dead-letters`. Each
 * organization whose messages were queued again has a record of it in its audit log.
 */
export function deadLetterActions<D extends DeliveryFields>(queue: Queue<D>) {
  const { of, model } = queue;
  const path = `/operator/${of.plural}/dead-letters` as const;
  return {
    'operator.dead-letters.list': defineAction({
      rest: `GET ${path}`,
      summary: `List the dead letters of ${of.plural}`,
      description: `Returns the ${of.plural} whose delivery was given up, of all organizations, the newest first.`,
      permission: 'operator',
      input: { query: z.strictObject(pageQuery) },
      output: pageOf(deadLetterOutput),
      errors: ['CURSOR_INVALID'],
      example: {
        query: { limit: '20' },
        output: { data: [exampleOf(of.id)], nextCursor: null },
      },
      async handler({ query: { limit, cursor } }) {
        const dead = await model
          .find({ status: 'failed', ...afterInstant(cursor, ['nextAttemptAt', '_id'], -1) } as never)
          .setOptions(across)
          .sort({ nextAttemptAt: -1, _id: -1 })
          .limit(limit + 1)
          .lean<DeliveryFields[]>();
        return toPage(dead, limit, ({ nextAttemptAt, _id }) => [nextAttemptAt.toISOString(), _id], toResponse);
      },
    }),
    'operator.dead-letters.redrive': defineAction({
      rest: `POST ${path}/redrive`,
      summary: `Queue dead letters of ${of.plural} again`,
      description:
        `Queues ${of.plural} whose delivery was given up again, with the full number of attempts: one, all of an ` +
        'organization, or all. It is recorded in the audit log of each organization. A repeated call finds none.',
      permission: 'operator',
      input: { body: redriveInput },
      output: requeuedOutput,
      errors: ['NOT_FOUND'],
      example: { body: { what: 'all' }, output: { requeued: 3 } },
      async handler({ body: { what }, ctx }) {
        const target = { type: of.plural, id: what };
        const requeued = await redrive(queue, what, (orgId, count) =>
          recordAuditEvent(ctx, { action: 'dead-letters.requeued', orgId, target, after: { requeued: count } }),
        );
        if (requeued === 0 && what !== 'all') throw apiError('NOT_FOUND');
        return { requeued };
      },
    }),
  };
}

function exampleOf(prefix: string): z.input<typeof deadLetterOutput> {
  return {
    id: exampleId(prefix),
    orgId: exampleId('org'),
    attempts: 12,
    failure: 'refused',
    error: '550 5.1.1 No such user',
    failedAt: '2026-03-03T09:30:00.000Z',
    createdAt: exampleInstant,
  };
}

function toResponse(letter: DeliveryFields): z.output<typeof deadLetterOutput> {
  const { _id: id, orgId, attempts, lastFailure, lastError, updatedAt, createdAt } = letter;
  const times = { failedAt: updatedAt.toISOString(), createdAt: createdAt.toISOString() };
  return { id, orgId, attempts, failure: lastFailure, error: lastError, ...times };
}
