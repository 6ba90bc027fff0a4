import type { ServiceBroker } from 'moleculer';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { concurrently } from '../../lib/concurrency/concurrently.ts';
import { type Ctx, call } from '../../lib/contract/context.ts';
import { leaseFromNow, leaseNow, minute, now } from '../../lib/data/clock.ts';
import { insertIfAbsent } from '../../lib/data/collection.ts';
import { recordErasure } from '../../lib/data/erasure-records.ts';
import { claimLease, newLease, renewLease } from '../../lib/data/lease.ts';
import { pagesByInstant } from '../../lib/data/sweep.ts';
import { ApiKeyModel } from '../../models/identity/api-key.ts';
import { ApplicationModel } from '../../models/identity/application.ts';
import { AuditRetentionModel } from '../../models/identity/audit-retention.ts';
import { type DeletionDocument, DeletionModel } from '../../models/identity/deletion.ts';
import { InvitationModel } from '../../models/identity/invitation.ts';
import { OrganizationModel } from '../../models/identity/organization.ts';
import { OrganizationLogoModel } from '../../models/identity/organization-logo.ts';
import { publishCredentialChange } from './current-rights.ts';
import { eraseDirectory } from './directory/directory.ts';
import { removeOAuthClients } from './oauth-clients.ts';
import { allErasures, eraseIn } from './operator.ts';
import { eraseFailedRequests } from './requests/record.ts';
import { deleteReservations } from './reservations.ts';

export type Step = (ctx: Ctx, deletion: DeletionDocument) => Promise<void>;

/**
 * The application itself goes first, so that nothing can be added to it: the creation of a key or a client checks
 * afterwards that the application still exists.
 */
export const stepsOfApplication: Record<string, Step> = {
  application: async (_ctx, { orgId, _id }) => {
    await ApplicationModel.deleteOne({ orgId, _id });
  },
  'api-keys': (ctx, { orgId, _id }) => revokeApiKeys(ctx, { orgId, applicationId: _id }),
  'oauth-client': (ctx, { orgId, _id }) => removeOAuthClients(ctx, { orgId, applicationId: _id }),
  assignments: async (ctx, { orgId, _id }) => {
    await call(ctx, 'access.subjects.remove', { body: { orgId, subject: _id } });
  },
};

/** The steps of identity itself, before every service erases its data of the organization. */
export const stepsOfOrganization: Record<string, Step> = {
  // First of all: no user joins, and nothing is created in, an organization that is not active.
  organization: async (_ctx, { orgId, createdAt }) => {
    await recordErasure({ _id: orgId, kind: 'organization', orgId, identifiers: null, erasedAt: createdAt });
    await disableOrganization(orgId);
  },
  applications: async (_ctx, { orgId }) => {
    await ApplicationModel.deleteMany({ orgId });
  },
  'api-keys': (ctx, { orgId }) => revokeApiKeys(ctx, { orgId }),
  'oauth-clients': (ctx, { orgId }) => removeOAuthClients(ctx, { orgId }),
  memberships: async (ctx, { orgId }) => {
    await call(ctx, 'access.organizations.close', { body: { orgId } });
  },
  directory: (_ctx, { orgId }) => eraseDirectory(orgId),
  invitations: async (_ctx, { orgId }) => {
    await InvitationModel.deleteMany({ orgId });
  },
  logo: async (_ctx, { orgId }) => {
    await OrganizationLogoModel.deleteMany({ orgId });
  },
  reservations: (_ctx, { orgId }) => deleteReservations(orgId),
  requests: (_ctx, { orgId }) => eraseFailedRequests(orgId),
  'audit-retention': async (_ctx, { orgId }) => {
    await AuditRetentionModel.deleteOne({ _id: orgId, orgId });
  },
};

/** After this step no caller can act in the organization; the rest is cleanup. */
export const lastUrgentStep = 'memberships';

/** Ends all access of an organization's members. */
export async function disableOrganization(orgId: string): Promise<void> {
  await OrganizationModel.updateOne(
    { _id: orgId, status: 'active' },
    { $set: { status: 'deleting', updatedAt: now() } },
  );
}

/** Revokes the keys in force; they are kept as a record. */
async function revokeApiKeys(ctx: Ctx, filter: { orgId: string; applicationId?: string }): Promise<void> {
  const inForce = { ...filter, revokedAt: null };
  const keys = await ApiKeyModel.find(inForce, { tokenHash: 1 }).lean();
  const revokedAt = now();
  await ApiKeyModel.updateMany(inForce, { $set: { revokedAt, updatedAt: revokedAt } });
  for (const { tokenHash } of keys) await publishCredentialChange(ctx, { tokenHash });
}

/**
 * Keeps the slug taken and the log readable for the operator, and removes everything else. The act is recorded first: a
 * crash in between records it twice, but never loses it.
 */
export async function writeTombstone(ctx: Ctx, { orgId }: DeletionDocument): Promise<void> {
  const deleting = { _id: orgId, status: 'deleting' } as const;
  if (!(await OrganizationModel.exists(deleting))) return;
  await recordAuditEvent(ctx, { action: 'organization.erased', orgId, target: { type: 'organization', id: orgId } });
  await OrganizationModel.updateOne(deleting, {
    $set: { status: 'deleted', name: '', updatedAt: now() },
    $unset: { createdBy: 1, logoId: 1, brandColor: 1, allowedEmailDomains: 1, maxSessionHours: 1 },
  });
}

/** Longer than a step takes; each step renews it. */
const lease = minute;
const batch = 100;
const completionConcurrency = 4;
/** Longer than any request, or work on an accepted request, may be in flight. */
const pauseBeforeRepetition = 2 * minute;

/**
 * Stores a deletion, which the caller then carries out. Once stored, it will be completed, by the caller or by the
 * sweep. Null when it was stored before.
 */
export async function beginDeletion(
  what: Pick<DeletionDocument, '_id' | 'kind' | 'orgId'>,
): Promise<DeletionDocument | null> {
  return await store({ ...what, ...newLease(lease), createdAt: now() });
}

/**
 * Stores the deletion of an organization that a restored database contains again, as due work for the sweep, and
 * disables the organization immediately. An organization that the database does not have, or has as deleted, needs no
 * deletion.
 */
export async function repeatDeletion(orgId: string, createdAt: Date): Promise<void> {
  if (!(await OrganizationModel.exists({ _id: orgId, status: { $ne: 'deleted' } }))) return;
  await store({ _id: orgId, kind: 'organization', orgId, ...newLease(0), createdAt });
  await disableOrganization(orgId);
}

type Begun = Omit<DeletionDocument, 'completedSteps' | 'isRepetition'>;

/** Null when it was stored before. */
async function store(begun: Begun): Promise<DeletionDocument | null> {
  const deletion = { ...begun, completedSteps: [], isRepetition: false };
  return (await insertIfAbsent<DeletionDocument>(DeletionModel, deletion)) ? deletion : null;
}

/**
 * Carries out the remaining steps of a deletion in order; with `last`, only up to that step. Later the sweep repeats
 * all of them once, and then the deletion is removed. Every step may be repeated. A process that lost the lease leaves
 * the remaining steps to the lease holder.
 */
export async function runDeletion(ctx: Ctx, deletion: DeletionDocument, last?: string): Promise<void> {
  const isOfOrganization = deletion.kind === 'organization';
  for (const [name, step] of Object.entries(isOfOrganization ? stepsOfOrganization : stepsOfApplication)) {
    if (!(await runStep(ctx, deletion, name, step))) return;
    if (name === last) return;
  }
  if (isOfOrganization) {
    if (!(await eraseInServices(ctx, deletion))) return;
    if (!(await runStep(ctx, deletion, 'tombstone', writeTombstone))) return;
  }
  if (deletion.isRepetition) await DeletionModel.deleteOne(leaseOf(deletion));
  else await planRepetition(leaseOf(deletion));
}

/** Carries out one step unless it is done; false when the lease is lost. */
async function runStep(ctx: Ctx, deletion: DeletionDocument, name: string, step: Step): Promise<boolean> {
  if (deletion.completedSteps.includes(name)) return true;
  if (!(await renew(deletion))) return false;
  await step(ctx, deletion);
  await DeletionModel.updateOne(leaseOf(deletion), { $addToSet: { completedSteps: name } });
  deletion.completedSteps.push(name);
  return true;
}

/**
 * Every service that stores data of organizations erases it, each in a separate step. A service that is absent or fails
 * does not delay the others; the sweep retries it.
 *
 * @throws Error when not all of them are done.
 */
async function eraseInServices(ctx: Ctx, deletion: DeletionDocument): Promise<boolean> {
  const erasures = [...(await allErasures(ctx.broker))];
  const outcomes = await Promise.allSettled(
    erasures.map((erasure) =>
      runStep(ctx, deletion, `erase:${erasure[0]}`, () =>
        eraseIn(ctx, erasure, deletion.orgId, () => requireLease(deletion)),
      ),
    ),
  );
  const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (failed.length > 0) throw new AggregateError(failed, failed.map((error) => error?.message ?? error).join(' '));
  return outcomes.every((outcome) => outcome.status === 'fulfilled' && outcome.value);
}

type Held = Pick<DeletionDocument, 'orgId' | '_id' | 'leaseOwner'>;

function leaseOf({ orgId, _id, leaseOwner }: DeletionDocument): Held {
  return { orgId, _id, leaseOwner };
}

function renew(deletion: DeletionDocument): Promise<boolean> {
  return renewLease<DeletionDocument>(DeletionModel, leaseOf(deletion), lease);
}

async function requireLease(deletion: DeletionDocument): Promise<void> {
  if (await renew(deletion)) return;
  throw new Error('Another process holds the lease of the deletion.');
}

/** The second run finds what was in flight during the first, such as an event about to be stored. */
async function planRepetition(mine: Held): Promise<void> {
  const anew = { isRepetition: true, completedSteps: [], leaseUntil: leaseFromNow(pauseBeforeRepetition) };
  await DeletionModel.updateOne(mine, { $set: anew });
}

/**
 * Completes the deletions that a crash or a failed step interrupted, several concurrently, because the deletion of a
 * huge organization takes long.
 */
export async function sweepDeletions(ctx: Ctx, signal?: AbortSignal): Promise<void> {
  const until = leaseNow();
  const complete = async ({ orgId, _id }: DeletionDocument) => {
    if (signal?.aborted) return;
    const taken = await claimLease<DeletionDocument>(DeletionModel, { orgId, _id }, lease);
    if (taken) await tryToCarryOut(ctx, taken);
  };
  const pages = pagesByInstant<DeletionDocument>(DeletionModel, { field: 'leaseUntil', until }, batch);
  for await (const page of pages) await concurrently(page, completionConcurrency, complete);
}

/** Carries out a deletion outside of a request; logs a failure, which the next sweep retries. */
export function runInBackground(broker: ServiceBroker, deletion: DeletionDocument): void {
  void tryToCarryOut(broker.ContextFactory.create(broker) as Ctx, deletion);
}

async function tryToCarryOut(ctx: Ctx, deletion: DeletionDocument): Promise<void> {
  try {
    await runDeletion(ctx, deletion);
  } catch (error) {
    ctx.broker.logger.warn('Deletion could not be completed; will retry', { deletionId: deletion._id, error });
  }
}
