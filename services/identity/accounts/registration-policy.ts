import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { now } from '../../../lib/data/clock.ts';
import { isOfDomains } from '../../../lib/format/email-address.ts';
import { InvitationModel } from '../../../models/identity/invitation.ts';
import {
  type RegistrationPolicyDocument,
  RegistrationPolicyModel,
  registrationModes,
} from '../../../models/identity/registration-policy.ts';

/** The people who may create an account. The domains count in the mode `domains` only. */
export type RegistrationPolicy = Pick<RegistrationPolicyDocument, 'mode' | 'domains'>;

const _id = 'registration';
const unlimited: RegistrationPolicy = { mode: 'open', domains: [] };

/** Reads the policy from the database. No node caches it, so that a change counts from its answer on. */
export async function readRegistrationPolicy(): Promise<RegistrationPolicy> {
  const stored = await RegistrationPolicyModel.findOne({ _id }).lean<RegistrationPolicyDocument>();
  return stored ? { mode: stored.mode, domains: stored.domains } : unlimited;
}

/** Stores the policy, and returns the previous one. */
export async function replaceRegistrationPolicy({ mode, domains }: RegistrationPolicy): Promise<RegistrationPolicy> {
  const before = await readRegistrationPolicy();
  await RegistrationPolicyModel.updateOne({ _id }, { $set: { mode, domains, updatedAt: now() } }, { upsert: true });
  return before;
}

/** Whether the policy admits an address in its normal form, invitations aside. Subdomains of a domain are not in it. */
export function isAdmitted({ mode, domains }: RegistrationPolicy, email: string): boolean {
  return mode === 'open' || (mode === 'domains' && isOfDomains(email, domains));
}

/**
 * Throws REGISTRATION_CLOSED unless the policy admits the address. Ignores accounts and invitations, so that the answer
 * reveals neither: an invited person registers by the link in the invitation.
 */
export async function requireAdmitted(email: string): Promise<void> {
  if (!isAdmitted(await readRegistrationPolicy(), email)) throw apiError('REGISTRATION_CLOSED');
}

/** Whether the owner of an address may create an account: the policy admits it, or it has an open invitation. */
export async function mayRegister(email: string): Promise<boolean> {
  return isAdmitted(await readRegistrationPolicy(), email) || (await isInvited(email));
}

async function isInvited(email: string): Promise<boolean> {
  const open = { email, status: 'pending' as const, expiresAt: { $gt: now() } };
  return (await InvitationModel.findOne(open, { _id: 1 }, { acrossTenants: true }).lean()) !== null;
}

/** `identity.accounts.registration-mode`, for pages: whether they offer to register. */
export const readRegistrationMode = defineAction({
  summary: 'Read who may create an account',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({}) },
  output: z.strictObject({ mode: z.enum(registrationModes) }),
  handler: async () => ({ mode: (await readRegistrationPolicy()).mode }),
});
