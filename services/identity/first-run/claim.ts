import { randomUUID } from 'node:crypto';
import { newApiKeyToken } from '../../../lib/api-key.ts';
import { fromNow, now, second } from '../../../lib/clock.ts';
import { decrypt, encrypt } from '../../../lib/encryption.ts';
import { newId } from '../../../lib/ids.ts';
import { insertUnlessThere } from '../../../lib/insert-unless-there.ts';
import { type FirstRunDocument, FirstRunModel } from '../../../models/identity/first-run.ts';
import { newPassword } from '../accounts/password.ts';

/** Secrets for the operator only. */
export type Secrets = { apiKey: string; generatedPassword: string };

/** A claimed first run, until the lease ends. */
export type Claim = { leaseOwner: string; run: FirstRunDocument; secrets: Secrets };

/** Many times what a step takes, and how long the next start waits after a crash. Each step renews it. */
const lease = 5 * second;
const purpose = 'first-run';
const _id = 'first-run';

/** The claimed first run, `done` if it was done before, or `busy` while another process holds the lease. */
export async function claimFirstRun(): Promise<Claim | 'done' | 'busy'> {
  const leaseOwner = randomUUID();
  const former = await FirstRunModel.findOne({ _id }).lean<FirstRunDocument>();
  if (former?.status === 'done') return 'done';
  const isOurs = former ? await takeOver(leaseOwner) : await begin(leaseOwner);
  if (!isOurs) return 'busy';
  const run = await FirstRunModel.findOne({ _id, status: 'running', leaseOwner }).lean<FirstRunDocument>();
  return run ? { leaseOwner, run, secrets: await openSecrets(run) } : 'busy';
}

/** Renews the lease; false when another process has claimed the run. */
export async function renewClaim({ leaseOwner }: Claim): Promise<boolean> {
  const ours = { _id, status: 'running', leaseOwner } as const;
  const { matchedCount } = await FirstRunModel.updateOne(ours, { $set: { leaseUntil: fromNow(lease) } });
  return matchedCount === 1;
}

/** Completes the run and removes its secrets. */
export async function completeFirstRun({ leaseOwner }: Claim): Promise<void> {
  await FirstRunModel.updateOne({ _id, leaseOwner }, { $set: { status: 'done', sealed: null } });
}

async function begin(leaseOwner: string): Promise<boolean> {
  const run: FirstRunDocument = {
    _id,
    status: 'running',
    userId: newId('usr'),
    orgId: newId('org'),
    applicationId: newId('app'),
    keyId: newId('key'),
    sealed: sealNewSecrets(),
    leaseOwner,
    leaseUntil: fromNow(lease),
    createdAt: now(),
  };
  return await insertUnlessThere<FirstRunDocument>(FirstRunModel, run);
}

async function takeOver(leaseOwner: string): Promise<boolean> {
  const { modifiedCount } = await FirstRunModel.updateOne(
    { _id, status: 'running', leaseUntil: { $lte: now() } },
    { $set: { leaseOwner, leaseUntil: fromNow(lease) } },
  );
  return modifiedCount === 1;
}

/**
 * The secrets of the run. Generates new ones when the dead process used another secret key, so that its own cannot be
 * decrypted.
 */
async function openSecrets({ leaseOwner, sealed }: FirstRunDocument): Promise<Secrets> {
  try {
    return JSON.parse(decrypt(purpose, sealed ?? ''));
  } catch {
    const replacement = sealNewSecrets();
    await FirstRunModel.updateOne({ _id, leaseOwner }, { $set: { sealed: replacement } });
    return JSON.parse(decrypt(purpose, replacement));
  }
}

function sealNewSecrets(): string {
  const secrets: Secrets = { apiKey: newApiKeyToken(), generatedPassword: newPassword() };
  return encrypt(purpose, JSON.stringify(secrets));
}
