import type { Context } from 'moleculer';
import { call } from '../../lib/calls.ts';
import { settings } from '../../lib/settings.ts';
import { CustomerModel } from '../../models/context/customer.ts';
import { type IdentifierDocument, IdentifierModel } from '../../models/context/identifier.ts';

const emailKey = 'email:';
/** The most addresses of one call. */
const batch = 500;

/**
 * Removes the messages to the email addresses of a customer and of those merged into them. The addresses are read from
 * the identifiers, so it comes before the erasure. Repeatable.
 *
 * @throws UNAVAILABLE the mail service is away, and the platform is not one that does without it.
 */
export async function eraseMessages(ctx: Pick<Context, 'call'>, orgId: string, customer: string): Promise<void> {
  const addresses = await addressesOf(orgId, customer);
  for (let at = 0; at < addresses.length; at += batch) {
    const body = { orgId, addresses: addresses.slice(at, at + batch) };
    await call(ctx, 'mail.recipients.erase', { body }).catch((error: unknown) => {
      if (settings.REQUIRED_SERVICES.includes('mail') || !isServiceAbsent(error)) throw error;
    });
  }
}

/** Moleculer's error for an action that no node offers. */
function isServiceAbsent(error: unknown): boolean {
  return error instanceof Error && 'type' in error && error.type === 'SERVICE_NOT_FOUND';
}

/** Merged customers may have customers merged into them, so their ids are followed until there are no more. */
async function addressesOf(orgId: string, customer: string): Promise<string[]> {
  const people = new Set([customer]);
  for (const person of people) {
    const merged = await CustomerModel.find({ orgId, mergedInto: person }, { _id: 1 }).lean();
    for (const { _id } of merged) people.add(_id);
  }
  const found = await IdentifierModel.find({ orgId, customer: { $in: [...people] } }, { key: 1 }).lean<
    IdentifierDocument[]
  >();
  return found.flatMap(({ key }) => (key.startsWith(emailKey) ? [key.slice(emailKey.length)] : []));
}
