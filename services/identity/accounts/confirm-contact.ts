import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAct } from '../../../lib/audit.ts';
import { isError } from '../../../lib/errors.ts';
import type { MailedTokenOf } from '../../../models/identity/mailed-token.ts';
import type { Contact } from '../../../models/identity/user.ts';
import { changeUser } from '../users/change-user.ts';
import { consumeMailedToken, findMailedToken, tokenTyped } from './mailed-tokens.ts';

const outcome = z.strictObject({ outcome: z.enum(['confirmed', 'expired']) });

/** `identity.accounts.confirm-contact`, for the page behind the mailed link: the address is its owner's from now on. */
export const confirmContact = defineAction({
  summary: 'Confirm an email contact by its mailed link',
  permission: 'internal',
  input: { body: z.strictObject({ token: tokenTyped }) },
  output: outcome,
  async handler({ body: { token }, ctx }): Promise<z.output<typeof outcome>> {
    const link = await findMailedToken('email-verification', token);
    if (!link || !(await consumeMailedToken(link))) return { outcome: 'expired' };
    if (!(await markVerified(link))) return { outcome: 'expired' };
    const { userId, contactId } = link;
    const actor = { type: 'user' as const, id: userId };
    await recordAct(ctx, { action: 'email.verified', userId, actor, target: { type: 'contact', id: contactId } });
    return { outcome: 'confirmed' };
  },
});

/** False when the user no longer has this contact with this address. */
async function markVerified(link: MailedTokenOf<'email-verification'>): Promise<boolean> {
  const isMeant = ({ contactId, type, value }: Contact): boolean =>
    contactId === link.contactId && type === 'email' && value === link.email;
  try {
    const { after } = await changeUser(link.userId, ({ contacts }, at) => {
      if (!contacts.some(isMeant)) return {};
      return { contacts: contacts.map((one) => (isMeant(one) ? { ...one, verifiedAt: at, updatedAt: at } : one)) };
    });
    return after.contacts.some(isMeant);
  } catch (error) {
    // The user is gone.
    if (isError(error, 'CREDENTIAL_INVALID')) return false;
    throw error;
  }
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.accounts.confirm-contact': typeof confirmContact;
  }
}
