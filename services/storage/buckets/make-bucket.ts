import type { Context } from 'moleculer';
import type { RequestMeta } from '../../../lib/caller.ts';
import { now } from '../../../lib/clock.ts';
import { fail } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { insertUnlessThere } from '../../../lib/insert-unless-there.ts';
import { type LimitsNow, requireRoom } from '../../../lib/plan-limits.ts';
import { type BucketDocument, BucketModel } from '../../../models/storage/bucket.ts';
import { type BucketNameDocument, BucketNameModel } from '../../../models/storage/bucket-name.ts';
import { findUploadBucket } from '../objects/public-objects.ts';
import { findBucket, isHidden } from './buckets.ts';
import { requireActiveOrganization } from './owner.ts';
import { systemBucketName, systemPlace, systemPlaces } from './system-names.ts';

type Choices = Pick<
  BucketDocument,
  'isPublic' | 'allowedMimeTypes' | 'maxObjectBytes' | 'cacheControl' | 'corsOrigins' | 'expiry'
>;

export const usualChoices: Choices = {
  isPublic: false,
  allowedMimeTypes: null,
  maxObjectBytes: null,
  cacheControl: null,
  corsOrigins: ['*'],
  expiry: [],
};

/** The place of the default bucket, which like those of services no limit counts. */
const defaultPlace = 'default';
const uncounted = [defaultPlace, ...systemPlaces];

/**
 * Makes a bucket, if the plan has room for another.
 *
 * @throws BUCKET_NAME_TAKEN, PLAN_LIMIT_EXCEEDED, UNAVAILABLE
 */
export async function makeBucket(
  { orgId, id, name }: { orgId: string; id: string; name: string },
  choices: Choices,
  limits: LimitsNow,
): Promise<BucketDocument> {
  await reserveName(orgId, name);
  if (await BucketModel.findOne({ orgId, name }, { _id: 1 }).lean()) throw fail('BUCKET_NAME_TAKEN');
  for (;;) {
    const taken = await BucketModel.find({ orgId, deletedAt: null, place: { $nin: uncounted } }, { place: 1 }).lean();
    requireRoom(limits, { orgId, name: 'buckets', present: taken.length });
    const bucket = documentOf({ orgId, id, name, place: freePlace(taken.map(({ place }) => place)) }, choices);
    if (await insert(bucket)) return bucket;
    // Another bucket has the name or the place since.
    const same = await BucketModel.findOne({ orgId, name }).lean<BucketDocument>();
    if (same?._id === id) return same;
    if (same) throw fail('BUCKET_NAME_TAKEN');
  }
}

/**
 * The organization's bucket by the name that a request gives; its default bucket without one, made on first use.
 *
 * @throws NOT_FOUND; CREDENTIAL_INVALID the organization was deleted meanwhile.
 */
export async function bucketFor(
  ctx: Context<unknown, RequestMeta>,
  orgId: string,
  name: string | undefined,
  isSigned = false,
): Promise<BucketDocument> {
  const recent = await findUploadBucket(orgId, name ?? orgId);
  if (recent && !isHidden(recent, isSigned)) return recent;
  if (name !== undefined && name !== orgId) return await findBucket(orgId, name, isSigned);
  return await madeOnFirstUse(ctx, { orgId, name: orgId, place: defaultPlace }, { ...usualChoices, isPublic: true });
}

/** The private bucket of a service, made on first use; throws CREDENTIAL_INVALID as {@link bucketFor} does. */
export function systemBucketFor(
  ctx: Context<unknown, RequestMeta>,
  orgId: string,
  owner: string,
): Promise<BucketDocument> {
  const names = { orgId, name: systemBucketName(orgId, owner), place: systemPlace(owner) };
  return madeOnFirstUse(ctx, names, usualChoices);
}

async function madeOnFirstUse(
  ctx: Context<unknown, RequestMeta>,
  names: Omit<Names, 'id'>,
  choices: Choices,
): Promise<BucketDocument> {
  const { orgId, name } = names;
  const found = await BucketModel.findOne({ orgId, name }).lean<BucketDocument>();
  if (found) return found;
  await insert(documentOf({ ...names, id: newId('bkt') }, choices));
  await requireActiveOrganization(ctx, orgId, () => BucketModel.deleteOne({ orgId, name }));
  return await findBucket(orgId, name, true);
}

/** A name belongs to the organization that had it first, for good: links to it may be anywhere. */
async function reserveName(orgId: string, name: string): Promise<void> {
  if (await insertUnlessThere<BucketNameDocument>(BucketNameModel, { _id: name, orgId })) return;
  const owner = await BucketNameModel.findOne({ orgId, _id: name }, { _id: 1 }).lean();
  if (!owner) throw fail('BUCKET_NAME_TAKEN');
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
  };
}

const insert = (bucket: BucketDocument): Promise<boolean> => insertUnlessThere<BucketDocument>(BucketModel, bucket);
