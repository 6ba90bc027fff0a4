import type { Context } from 'moleculer';
import { call } from '../../../lib/calls.ts';
import type { Version } from '../../../models/storage/object.ts';
import { storageMeter } from './reserve-bytes.ts';

type Caller = Pick<Context, 'broker'>;

/** Releases the quota of versions that are gone. Idempotent for two days. Throws UNAVAILABLE. */
export async function releaseVersions(ctx: Caller, orgId: string, versions: Version[]): Promise<void> {
  await Promise.all(versions.filter(({ size }) => size > 0).map((version) => release(ctx, orgId, version)));
}

/**
 * The charge may have been lost in a crash, and billing not have asked for it yet. So it is charged first; that is of no
 * effect where it was.
 */
async function release({ broker }: Caller, orgId: string, { version, size, charges }: Version): Promise<void> {
  if (charges.length > 0) await call(broker, 'billing.quota.commit', { body: { takes: charges } });
  await call(broker, 'billing.quota.release', { body: { orgId, meter: storageMeter, amount: size, key: version } });
}
