import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { ServiceBroker, type ServiceSchema } from 'moleculer';
import { register } from 'prom-client';
import { type CallInput, type CallOutput, type Calls, call, type RequestMeta } from '../../../lib/contract/context.ts';
import { setClock } from '../../../lib/data/clock.ts';
import { hashToken } from '../../../lib/security/token-hash.ts';
import { limitsService } from '../../support/limits-service.ts';
import { eventually } from '../../support/until.ts';

/*
 * The identity, access and mail services in the test's own process, on an embedded database of their own: their internal actions
 * have no HTTP route, and here the test sets the clock and sees how often a password was hashed.
 */

const folder = mkdtempSync(join(tmpdir(), 'accounts-'));
export const publicUrl = 'https://localhost:8443';
Object.assign(process.env, { DATA_DIR: folder, PUBLIC_URL: publicUrl, PASSWORD_COST: '8', LOG_LEVEL: 'fatal' });

type Mail = CallOutput<'mail.mailbox.read'>;

let broker: ServiceBroker;
let shift = 0;

/** Starts the services for a file's tests and stops them afterwards. */
export function ownAccounts(): void {
  let restoreClock = (): void => undefined;
  beforeAll(async () => {
    const { default: brokerOptions } = await import('../../../moleculer.config.ts');
    const { default: identity } = await import('../../../services/identity/identity.service.ts');
    const { default: access } = await import('../../../services/access/access.service.ts');
    const { default: mail } = await import('../../../services/mail/mail.service.ts');
    restoreClock = setClock(() => new Date(Date.now() + shift));
    broker = new ServiceBroker({ ...brokerOptions(), requestTimeout: 60_000 });
    const { firstRun, firstRunMixin } = await import('../../../services/identity/first-run.ts');
    // The first run would print its credentials, and nothing here needs its user.
    const mixins = identity.mixins?.filter((mixin) => mixin !== firstRun && mixin !== firstRunMixin);
    for (const schema of [access, { ...identity, mixins }, mail, limitsService()])
      broker.createService(schema as ServiceSchema);
    await broker.start();
  });
  afterAll(async () => {
    await broker.stop();
    restoreClock();
    rmSync(folder, { recursive: true, force: true });
  });
}

/** Lets so many milliseconds pass. */
export function pass(milliseconds: number): void {
  shift += milliseconds;
}

export const accountsBroker = (): ServiceBroker => broker;

/** Calls an internal action as a page does, from a client address of one's own unless one is given. */
export function ask<N extends keyof Calls & string>(
  name: N,
  body: CallInput<N> extends { body: infer B } ? B : never,
  meta: RequestMeta & { requestId?: string } = {},
): Promise<CallOutput<N>> {
  const { requestId = randomUUID(), client = newClient(), ...rest } = meta;
  const options = { meta: { ...rest, client }, requestID: requestId };
  const caller = { call: (action: string, params: object) => broker.call(action, params, options) };
  return call(caller as never, name, { body } as never);
}

/** A client address that nobody else has. */
export function newClient(): { address: string; userAgent: string } {
  return { address: [...randomBytes(4)].join('.'), userAgent: 'test' };
}

export const newEmail = (): string => `${randomBytes(8).toString('hex')}@example.com`;
export const newBrowserHash = (): string => randomBytes(32).toString('hex');
export const goodPassword = 'four words that nobody guesses';

/** The mails to an address, the oldest first. */
export async function mailsTo(address: string): Promise<Mail[]> {
  const { messages } = await ask('mail.mailbox.list', { limit: 100 });
  const own = messages.filter(({ to }) => to === address).reverse();
  return Promise.all(own.map(({ messageId }) => ask('mail.mailbox.read', { messageId })));
}

/** Waits until so many mails have come to an address, and gives the last. */
export function mailTo(address: string, count = 1): Promise<Mail> {
  return eventually(async () => {
    const mails = await mailsTo(address);
    if (mails.length !== count) throw new Error(`${address} has ${mails.length} mails in place of ${count}.`);
    return mails.at(-1)!;
  });
}

/** The token of the link in a mail. */
export function tokenIn({ text }: Mail): string {
  return new URL(/https:\/\/\S+\?token=\S+/.exec(text)![0]).searchParams.get('token')!;
}

/** Has a link mailed that confirms a registration, and gives its token. */
export async function registerFor(
  email: string,
  { password = goodPassword, browserHash = newBrowserHash(), returnTo = null as string | null } = {},
): Promise<{ token: string; browserHash: string }> {
  await ask('identity.accounts.register', { email, password, browserHash, returnTo });
  return { token: tokenIn(await mailTo(email)), browserHash };
}

/** Makes a user the way people do. */
export async function makeUser({ email = newEmail(), password = goodPassword } = {}) {
  const { token, browserHash } = await registerFor(email, { password });
  const body = { token, browserHash, password: null };
  const confirmed = await ask('identity.accounts.confirm-registration', body);
  if (confirmed.outcome !== 'confirmed') throw new Error(confirmed.outcome);
  const { caller } = await ask('identity.sessions.verify', { tokenHash: hashToken(confirmed.sessionToken) });
  return { email, password, sessionToken: confirmed.sessionToken, caller: caller!, userId: caller!.id };
}

/** Whose session this is; null when it is over. */
export async function whoIs(sessionToken: string): Promise<string | null> {
  const { caller } = await ask('identity.sessions.verify', { tokenHash: hashToken(sessionToken) });
  return caller?.id ?? null;
}

/** How many passwords were hashed or checked so far. */
export async function hashesMade(): Promise<number> {
  const metric = await register.getSingleMetric('password_hashes_total')!.get();
  return metric.values[0]?.value ?? 0;
}

/** What the audit log of the platform holds about a target, the oldest first. */
export async function actsOn(targetId: string): Promise<string[]> {
  const { AuditRecordModel } = await import('../../../models/identity/audit-record.ts');
  const acts = await AuditRecordModel.find({ 'target.id': targetId }, null, { acrossTenants: true }).sort({ _id: 1 });
  return acts.map(({ action }) => action);
}
