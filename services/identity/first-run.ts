import { setTimeout as wait } from 'node:timers/promises';
import type { Service, ServiceSchema } from 'moleculer';
import { now, second } from '../../lib/data/clock.ts';
import { insertIfAbsent } from '../../lib/data/collection.ts';
import { newId } from '../../lib/data/ids.ts';
import { claimLease, newLease, renewLease } from '../../lib/data/lease.ts';
import { printInLog } from '../../lib/log/logging.ts';
import { newApiKeyToken } from '../../lib/security/api-key.ts';
import { decrypt, encrypt } from '../../lib/security/encryption.ts';
import { settings } from '../../lib/settings/settings.ts';
import { type FirstRunDocument, FirstRunModel } from '../../models/identity/first-run.ts';
import { hashPassword, newPassword } from './accounts/password.ts';
import {
  type FirstRunCredentials,
  formatCredentials,
  initializeOrganization,
  orgSlug,
  promoteFirstUser,
  storeApiKey,
  storeApplication,
  storeOrganization,
  storeUser,
  trustFirstOrganization,
  writeHandover,
} from './first-run-records.ts';

type Secrets = { apiKey: string; generatedPassword: string };

/** The operator's credentials, and the hash of the password, which takes longer than all steps before it is needed. */
type Credentials = { apiKey: string; adminPassword: string; passwordHash: Promise<string> };

/** A claimed first run, until the lease ends. */
type Claim = { run: FirstRunDocument } & Credentials;

/** Many times the duration of a step, and how long the next start waits after a crash. Each step renews it. */
const lease = 5 * second;
const purpose = 'first-run';
const _id = 'first-run';

/** The claimed first run, `done` if it was done before, or `busy` while another process holds the lease. */
async function claimFirstRun(): Promise<Claim | 'done' | 'busy'> {
  const existing = await FirstRunModel.findOne({ _id }).lean<FirstRunDocument>();
  if (existing?.status === 'done') return 'done';
  return (await (existing ? takeOverClaim() : begin())) ?? 'busy';
}

/** Renews the lease; false when another process has claimed the run. */
function renewClaim({ run: { leaseOwner } }: Claim): Promise<boolean> {
  return renewLease<FirstRunDocument>(FirstRunModel, { _id, status: 'running', leaseOwner }, lease);
}

/** Completes the run and removes its secrets. */
async function completeFirstRun({ run: { leaseOwner } }: Claim): Promise<void> {
  await FirstRunModel.updateOne({ _id, leaseOwner }, { $set: { status: 'done', sealed: null } });
}

/** Null when another process was first. */
async function begin(): Promise<Claim | null> {
  const secrets = newSecrets();
  // Hashed already while the claim is stored.
  const credentials = toCredentials(secrets);
  const run: FirstRunDocument = {
    _id,
    status: 'running',
    userId: newId('usr'),
    orgId: newId('org'),
    applicationId: newId('app'),
    keyId: newId('key'),
    sealed: seal(secrets),
    ...newLease(lease),
    createdAt: now(),
  };
  return (await insertIfAbsent<FirstRunDocument>(FirstRunModel, run)) ? { run, ...credentials } : null;
}

/** Null when another process holds the lease. */
async function takeOverClaim(): Promise<Claim | null> {
  const run = await claimLease<FirstRunDocument>(FirstRunModel, { _id, status: 'running' }, lease);
  return run && { run, ...toCredentials(await openSecrets(run)) };
}

/**
 * The secrets of the run. Generates new ones when the dead process used another secret key, so that its own cannot be
 * decrypted.
 */
async function openSecrets({ leaseOwner, sealed }: FirstRunDocument): Promise<Secrets> {
  try {
    return JSON.parse(decrypt(purpose, sealed ?? ''));
  } catch {
    const replacement = newSecrets();
    await FirstRunModel.updateOne({ _id, leaseOwner }, { $set: { sealed: seal(replacement) } });
    return replacement;
  }
}

function toCredentials({ apiKey, generatedPassword }: Secrets): Credentials {
  const adminPassword = settings.ADMIN_PASSWORD?.reveal() ?? generatedPassword;
  const passwordHash = hashPassword(adminPassword, { network: '', range: '', isProven: true });
  passwordHash.catch(() => undefined);
  return { apiKey, adminPassword, passwordHash };
}

const newSecrets = (): Secrets => ({ apiKey: newApiKeyToken(), generatedPassword: newPassword() });
const seal = (secrets: Secrets): string => encrypt(purpose, JSON.stringify(secrets));

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
  if (claim === 'done') await Promise.all([trustFirstOrganization(), promoteFirstUser()]);
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
  // Not by a logger, which redacts credentials; showing them is the purpose here.
  printInLog(formatCredentials(handover, file));
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
