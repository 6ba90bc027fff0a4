import { randomUUID } from 'node:crypto';
import { newApiKeyToken } from '../../../lib/api-key.ts';
import { leaseFromNow, leaseNow, now, second } from '../../../lib/clock.ts';
import { decrypt, encrypt } from '../../../lib/encryption.ts';
import { newId } from '../../../lib/ids.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { settings } from '../../../lib/settings.ts';
import { type FirstRunDocument, FirstRunModel } from '../../../models/identity/first-run.ts';
import { hashPassword, newPassword } from '../accounts/password.ts';

type Secrets = { apiKey: string; generatedPassword: string };

/** The operator's credentials, and the hash of the password, which takes longer than all steps before it is needed. */
type Credentials = { apiKey: string; adminPassword: string; passwordHash: Promise<string> };

/** A claimed first run, until the lease ends. */
export type Claim = { run: FirstRunDocument } & Credentials;

/** Many times the duration of a step, and how long the next start waits after a crash. Each step renews it. */
const lease = 5 * second;
const purpose = 'first-run';
const _id = 'first-run';

/** The claimed first run, `done` if it was done before, or `busy` while another process holds the lease. */
export async function claimFirstRun(): Promise<Claim | 'done' | 'busy'> {
  const existing = await FirstRunModel.findOne({ _id }).lean<FirstRunDocument>();
  if (existing?.status === 'done') return 'done';
  return (await (existing ? takeOverClaim() : begin())) ?? 'busy';
}

/** Renews the lease; false when another process has claimed the run. */
export async function renewClaim({ run: { leaseOwner } }: Claim): Promise<boolean> {
  const ours = { _id, status: 'running', leaseOwner } as const;
  const { matchedCount } = await FirstRunModel.updateOne(ours, { $set: { leaseUntil: leaseFromNow(lease) } });
  return matchedCount === 1;
}

/** Completes the run and removes its secrets. */
export async function completeFirstRun({ run: { leaseOwner } }: Claim): Promise<void> {
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
    leaseOwner: randomUUID(),
    leaseUntil: leaseFromNow(lease),
    createdAt: now(),
  };
  return (await insertIfAbsent<FirstRunDocument>(FirstRunModel, run)) ? { run, ...credentials } : null;
}

/** Null when another process holds the lease. Reads it again, because where an update is not atomic two may get it. */
async function takeOverClaim(): Promise<Claim | null> {
  const leaseOwner = randomUUID();
  await FirstRunModel.updateOne(
    { _id, status: 'running', leaseUntil: { $lte: leaseNow() } },
    { $set: { leaseOwner, leaseUntil: leaseFromNow(lease) } },
  );
  const run = await FirstRunModel.findOne({ _id, status: 'running', leaseOwner }).lean<FirstRunDocument>();
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
