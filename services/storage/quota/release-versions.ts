import type { Context } from 'moleculer';
import { createBatcher } from '../../../lib/batched.ts';
import { call } from '../../../lib/calls.ts';
import { commitTakes } from '../../../lib/quota-commits.ts';
import type { Version } from '../../../models/storage/object.ts';
import { storageMeter } from './reserve-bytes.ts';

type Caller = Pick<Context, 'broker'>;

const maxBatchSize = 200;

/**
 * Releases the quota of deleted versions. Idempotent for two days. Concurrent releases of an organization are batched,
 * with one call in flight, so that a slow billing service is not called for each version. Throws UNAVAILABLE.
 */
export async function releaseVersions(ctx: Caller, orgId: string, versions: Version[]): Promise<void> {
  const withBytes = versions.filter(({ size }) => size > 0);
  await Promise.all(withBytes.map((version) => releaseBatched(orgId, { ctx, version })));
}

const releaseBatched = createBatcher(maxBatchSize, async (items: { ctx: Caller; version: Version }[], orgId) => {
  const [first] = items;
  if (!first) return [];
  // A crash may have lost the charge before billing queried it; then the release would lower the gauge by bytes that
  // were never counted. Charging again is idempotent.
  const takes = items.flatMap(({ version }) => version.charges);
  await commitTakes(first.ctx, takes);
  const releases = items.map(({ version: { version: key, size: amount } }) => ({ key, amount }));
  await call(first.ctx.broker, 'billing.quota.release-many', { body: { orgId, meter: storageMeter, releases } });
  return items.map(() => undefined);
});
