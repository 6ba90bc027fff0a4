import { setTimeout as wait } from 'node:timers/promises';
import type { Service, ServiceSchema } from 'moleculer';
import { settings } from '../../lib/settings.ts';
import { type Claim, claimFirstRun, completeFirstRun, renewClaim } from './first-run/claim.ts';
import { type FirstRunCredentials, formatCredentials, writeHandover } from './first-run/handover.ts';
import {
  initializeOrganization,
  orgSlug,
  storeApiKey,
  storeApplication,
  storeOrganization,
  storeUser,
  trustFirstOrganization,
} from './first-run/records.ts';

const pauseBetweenLooks = 100;

const claims = new WeakMap<Service, ReturnType<typeof claimFirstRun>>();

/** Claims the first run of a platform as soon as the database is open, so that indexes are made while it hashes. */
export const firstRunMixin: Partial<ServiceSchema> = {
  started(this: Service) {
    const claiming = claimFirstRun();
    claiming.catch(() => undefined);
    claims.set(this, claiming);
  },
};

/**
 * The first run of a platform, before the service starts. It waits for access, which keeps the memberships and rights
 * of users; it is a mixin instead of a dependency so that the hash of the password is computed concurrently.
 */
export const firstRun: Partial<ServiceSchema> = {
  started(this: Service) {
    return doFirstRun(this, this.waitForServices('access'));
  },
};

/**
 * Creates the first user, organization, application and API key of an empty database, once in a pool, and hands them to
 * the operator on the console and in `DATA_DIR/first-run.json`. Resolves when the first run is done, by any node.
 *
 * A process that dies half-way leaves its claim, and in it the secrets, encrypted. Another start completes the run with
 * them, so that nothing is created twice, and no credential is lost or shown that does not work.
 */
async function doFirstRun(service: Service, access: Promise<unknown>): Promise<void> {
  let claim = await (claims.get(service) ?? claimFirstRun());
  if (claim === 'done') await trustFirstOrganization();
  if (claim === 'busy')
    service.logger.info('Another process performs the first run or died during it; waiting a few seconds.');
  while (claim !== 'done') {
    if (claim === 'busy') await wait(pauseBetweenLooks);
    else await runFirstRun(service, claim, access);
    claim = await claimFirstRun();
  }
  await access;
}

async function runFirstRun({ broker, logger }: Service, claim: Claim, access: Promise<unknown>): Promise<void> {
  const ctx = broker.ContextFactory.create(broker);
  const { run, passwordHash } = claim;
  const handover = toHandover(claim);
  await access;
  const steps = [
    () => storeOrganization(run),
    () => initializeOrganization(ctx, run),
    () => storeApplication(run),
    () => storeApiKey(run, handover.apiKey),
    async () => storeUser(run, { email: handover.adminEmail, passwordHash: await passwordHash }),
    () => handOver(handover),
    () => completeFirstRun(claim),
  ];
  for (const step of steps) {
    // A process that lost the lease leaves the remaining steps to the lease holder.
    if (!(await renewClaim(claim))) return;
    await step();
  }
  logger.info('First run completed', { orgId: run.orgId, applicationId: run.applicationId });
}

async function handOver(handover: FirstRunCredentials): Promise<void> {
  const file = await writeHandover(handover);
  // Not by the logger, which redacts credentials; showing them is the purpose here.
  process.stdout.write(formatCredentials(handover, file));
}

function toHandover({ run, adminPassword, apiKey }: Claim): FirstRunCredentials {
  return {
    publicUrl: settings.PUBLIC_URL,
    storageUrl: settings.STORAGE_URL,
    cdnUrl: settings.CDN_URL,
    adminEmail: settings.ADMIN_EMAIL,
    adminPassword,
    orgId: run.orgId,
    orgSlug,
    applicationId: run.applicationId,
    apiKey,
  };
}
