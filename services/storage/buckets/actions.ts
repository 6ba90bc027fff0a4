import { createBucket } from './create-bucket.ts';
import { deleteBucket } from './delete-bucket.ts';
import { listBuckets, readBucket } from './list-buckets.ts';
import { updateBucket } from './update-bucket.ts';

export const bucketActions = {
  'buckets.list': listBuckets,
  'buckets.create': createBucket,
  'buckets.read': readBucket,
  'buckets.update': updateBucket,
  'buckets.delete': deleteBucket,
};
