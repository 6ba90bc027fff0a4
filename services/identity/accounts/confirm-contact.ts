import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { isError } from '../../../lib/errors.ts';
import type { MailedTokenOf } from '../../../models/identity/mailed-token.ts';
import type { Contact } from '../../../models/identity/user.ts';
import { changeUser } from '../users/change-user.ts';
import { consumeMailedToken, findMailedToken, tokenTyped } from './mailed-tokens.ts';

const input = { body: z.strictObject({ token: tokenTyped }) };

const preview = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('open'), email: z.string() }),
  z.strictObject({ outcome: z.literal('other-user') }),
  z.strictObject({ outcome: z.literal('expired') }),
]);
const outcome = z.strictObject({ outcome: z.enum(['confirmed', 'other-user', 'expired']) });

/** `identity.accounts.preview-contact-confirmation`, for the page behind the mailed link: the contact to confirm. */
export const previewContactConfirmation = defineAction({
  summary: 'Preview a mailed link that confirms an email contact',
  permission: 'session',
  input,
  output: preview,
  async handler({ body: { token }, caller }): Promise<z.output<typeof preview>> {
    const link = await findMailedToken('email-verification', token);
    if (!link) return { outcome: 'expired' };
    return link.userId === caller.id ? { outcome: 'open', email: link.email } : { outcome: 'other-user' };
  },
});

/**
 * `identity.accounts.confirm-contact`, for the same page: marks the address as verified. Only the user who added the
 * contact can confirm it. Otherwise a user could add a stranger's address, and the stranger's click on the mailed link
 * would verify it for that user. A link of another user stays usable.
 */
export const confirmContact = defineAction({
  summary: 'Confirm an email contact by its mailed link',
  permission: 'session',
  input,
  output: outcome,
  async handler({ body: { token }, caller, ctx }): Promise<z.output<typeof outcome>> {
    const link = await findMailedToken('email-verification', token);
    if (!link) return { outcome: 'expired' };
    if (link.userId !== caller.id) return { outcome: 'other-user' };
    if (!(await consumeMailedToken(link))) return { outcome: 'expired' };
    if (!(await markVerified(link))) return { outcome: 'expired' };
    const { userId, contactId } = link;
    await recordAuditEvent(ctx, { action: 'email.verified', userId, target: { type: 'contact', id: contactId } });
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
    'identity.accounts.preview-contact-confirmation': typeof previewContactConfirmation;
    'identity.accounts.confirm-contact': typeof confirmContact;
  }
}
