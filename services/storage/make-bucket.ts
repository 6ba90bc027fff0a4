import { requireActiveOrganization } from '../../lib/clients/organizations.ts';
import { type LimitsNow, requireRoom } from '../../lib/clients/plan-limits.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { now } from '../../lib/data/clock.ts';
import { insertIfAbsent } from '../../lib/data/collection.ts';
import { newId } from '../../lib/data/ids.ts';
import { type BucketDocument, BucketModel } from '../../models/storage/bucket.ts';
import { type BucketNameDocument, BucketNameModel } from '../../models/storage/bucket-name.ts';
import { findBucket, isHidden } from './buckets.ts';
import { findUploadBucket } from './objects/public-objects.ts';
import { systemBucketName, systemPlace, systemPlaces } from './system-names.ts';

type Choices = Pick<
  BucketDocument,
  'isPublic' | 'allowedMimeTypes' | 'maxObjectBytes' | 'cacheControl' | 'corsOrigins' | 'expiry'
>;

export const defaultChoices: Choices = {
  isPublic: false,
  allowedMimeTypes: null,
  maxObjectBytes: null,
  cacheControl: null,
  corsOrigins: ['*'],
  expiry: [],
};

/** The slot of the default bucket, which like the buckets of services does not count against the limit. */
const defaultPlace = 'default';
const uncounted = [defaultPlace, ...systemPlaces];

/**
 * Creates a bucket, if the plan has room for another.
 *
 * @throws BUCKET_NAME_TAKEN, PLAN_LIMIT_EXCEEDED, UNAVAILABLE
 */
export async function makeBucket(
  { orgId, id, name }: { orgId: string; id: string; name: string },
  choices: Choices,
  limits: LimitsNow,
): Promise<BucketDocument> {
  await rejectTakenName(orgId, name);
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const taken = await BucketModel.find({ orgId, deletedAt: null, place: { $nin: uncounted } }, { place: 1 }).lean();
    await requireRoomForBucket(limits, orgId, taken.length);
    await reserveName(orgId, name, limits);
    const bucket = documentOf({ orgId, id, name, place: freePlace(taken.map(({ place }) => place)) }, choices);
    if (await insert(bucket)) return bucket;
    // A concurrent insert took the name or the slot.
    const same = await BucketModel.findOne({ orgId, name }).lean<BucketDocument>();
    if (same?._id === id) return same;
    if (same) throw apiError('BUCKET_NAME_TAKEN');
  }
  throw apiError('UNAVAILABLE');
}

/** Every further attempt follows a bucket that was created concurrently. */
const maxAttempts = 100;

async function rejectTakenName(orgId: string, name: string): Promise<void> {
  const reserved = await BucketNameModel.findOne({ _id: name }, null, { acrossTenants: true }).lean();
  if (!reserved) return;
  const isOwn = reserved.orgId === orgId;
  if (!isOwn || (await BucketModel.findOne({ orgId, name }, { _id: 1 }).lean())) throw apiError('BUCKET_NAME_TAKEN');
}

/**
 * A deleted bucket uses a bucket slot until its objects are deleted, and a name slot until its document is deleted two
 * days later.
 */
async function requireRoomForBucket(limits: LimitsNow, orgId: string, present: number): Promise<void> {
  const deleted = { orgId, deletedAt: { $ne: null } };
  const [all, withObjects] = await Promise.all([
    BucketModel.countDocuments(deleted),
    BucketModel.countDocuments({ ...deleted, sweepAt: null }),
  ]);
  requireRoom(limits, { orgId, name: 'buckets', present: present + withObjects });
  requireRoom(limits, { orgId, name: 'bucketNames', present: present + all });
}

/**
 * Returns the organization's bucket with a name, or its default bucket, which is created on first use.
 *
 * @throws NOT_FOUND; CREDENTIAL_INVALID the organization was deleted concurrently.
 */
export async function bucketFor(
  ctx: Ctx,
  orgId: string,
  name: string | undefined,
  isSigned = false,
): Promise<BucketDocument> {
  const recent = await findUploadBucket(orgId, name ?? orgId);
  if (recent && !isHidden(recent, isSigned)) return recent;
  if (name !== undefined && name !== orgId) return await findBucket(orgId, name, isSigned);
  return await madeOnFirstUse(ctx, { orgId, name: orgId, place: defaultPlace }, { ...defaultChoices, isPublic: true });
}

/**
 * Returns the private bucket of a service, created on first use; throws CREDENTIAL_INVALID as {@link bucketFor} does.
 */
export function systemBucketFor(ctx: Ctx, orgId: string, owner: string): Promise<BucketDocument> {
  const names = { orgId, name: systemBucketName(orgId, owner), place: systemPlace(owner) };
  return madeOnFirstUse(ctx, names, defaultChoices);
}

async function madeOnFirstUse(ctx: Ctx, names: Omit<Names, 'id'>, choices: Choices): Promise<BucketDocument> {
  const { orgId, name } = names;
  const found = await BucketModel.findOne({ orgId, name }).lean<BucketDocument>();
  if (found) return found;
  await insert(documentOf({ ...names, id: newId('bkt') }, choices));
  await requireActiveOrganization(ctx, orgId, () => BucketModel.deleteOne({ orgId, name }));
  return await findBucket(orgId, name, true);
}

/**
 * Reserves a name permanently for the organization, because links to it may be anywhere. The names are counted after
 * the reservation, which is undone if the plan has no room, so that concurrent requests never exceed the limit.
 */
async function reserveName(orgId: string, name: string, limits: LimitsNow): Promise<void> {
  if (await insertIfAbsent<BucketNameDocument>(BucketNameModel, { _id: name, orgId })) {
    const present = (await BucketNameModel.countDocuments({ orgId })) - 1;
    try {
      requireRoom(limits, { orgId, name: 'bucketNames', present });
    } catch (error) {
      await BucketNameModel.deleteOne({ orgId, _id: name });
      throw error;
    }
    return;
  }
  const owner = await BucketNameModel.findOne({ orgId, _id: name }, { _id: 1 }).lean();
  if (!owner) throw apiError('BUCKET_NAME_TAKEN');
}

function freePlace(taken: string[]): string {
  const places = new Set(taken);
  let free = 0;
  while (places.has(String(free))) free += 1;
  return String(free);
}

type Names = { orgId: string; id: string; name: string; place: string };

function documentOf({ id, ...names }: Names, choices: Choices): BucketDocument {
  const at = now();
  return {
    _id: id,
    ...names,
    ...choices,
    hasExpiry: choices.expiry.length > 0,
    objectCount: 0,
    usedBytes: 0,
    isChanged: false,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
    sweepAt: null,
  };
}

const insert = (bucket: BucketDocument): Promise<boolean> => insertIfAbsent<BucketDocument>(BucketModel, bucket);
