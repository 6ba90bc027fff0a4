import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { settings } from '../../lib/settings.ts';
import { type Claim, claimFirstRun, completeFirstRun } from './first-run/claim.ts';
import { describeHandover, type Handover, writeHandover } from './first-run/handover.ts';
import { orgSlug, storeRecords } from './first-run/records.ts';

const pauseBetweenLooks = 100;

/**
 * Makes the first user, organization, application and API key of an empty database, once in a pool, and hands them to
 * the operator on the console and in `DATA_DIR/first-run.json`. Ends when the first run is done, by whichever node.
 *
 * A process that dies half-way leaves its claim, and in it the secrets, encrypted. Another start completes the run with
 * them: nothing is made twice, and no credential is lost or shown that does not work.
 */
export async function doFirstRun(logger: Logger): Promise<void> {
  let claim = await claimFirstRun();
  while (claim === 'busy') {
    await wait(pauseBetweenLooks);
    claim = await claimFirstRun();
  }
  if (claim === 'done') return;
  const handover = toHandover(claim);
  await storeRecords(claim.run, handover);
  const file = await writeHandover(handover);
  // Not by the logger, which hides credentials; it is what this is for.
  process.stdout.write(describeHandover(handover, file));
  await completeFirstRun();
  logger.info('The first run is done', { orgId: handover.orgId, applicationId: handover.applicationId });
}

function toHandover({ run, secrets }: Claim): Handover {
  return {
    publicUrl: settings.PUBLIC_URL,
    storageUrl: settings.STORAGE_URL,
    cdnUrl: settings.CDN_URL,
    adminEmail: settings.ADMIN_EMAIL,
    adminPassword: settings.ADMIN_PASSWORD?.reveal() ?? secrets.generatedPassword,
    orgId: run.orgId,
    orgSlug,
    applicationId: run.applicationId,
    apiKey: secrets.apiKey,
  };
}
