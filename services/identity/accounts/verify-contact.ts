import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import { requireMail } from '../../../lib/clients/mail.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { inputError, isError } from '../../../lib/contract/errors.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import type { MailedTokenOf } from '../../../models/identity/mailed-token.ts';
import type { Contact } from '../../../models/identity/user.ts';
import { findContact } from '../contact-rules.ts';
import { contactPath } from '../contacts.ts';
import { changeUser, readCurrentUser } from '../users.ts';
import { mailLink } from './account-mails.ts';
import { consumeMailQuota, consumeMailQuotaOfNetwork, consumeMailQuotaOfUser } from './attempts.ts';
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

/** POST /identity/me/contacts/:contactId/verification: mails a link by which the owner of the address confirms it. */
export const sendVerification = defineAction({
  rest: 'POST /identity/me/contacts/:contactId/verification',
  summary: 'Mail a link that confirms an email contact',
  description:
    'Mails a link to an email contact, by which its owner confirms the address. `202` means that the request was ' +
    'accepted; if many mails went to the address recently, none is sent. Fails with `MAIL_DISABLED` where the ' +
    'platform sends no mail.',
  permission: 'session',
  input: { path: contactPath },
  output: z
    .strictObject({ contactId: z.string(), status: z.literal('mailed').describe('The request was accepted.') })
    .meta({ id: 'ContactVerification' }),
  status: 202,
  errors: ['NOT_FOUND', 'MAIL_DISABLED'],
  // An operation has one link, and the mail service sends a link once.
  idempotent: { resume: 'rerun' },
  example: {
    path: { contactId: exampleId('con') },
    output: { contactId: exampleId('con'), status: 'mailed' },
  },
  async handler({ path: { contactId }, caller, operation, ctx }) {
    const { contacts } = await readCurrentUser(caller.id);
    const { type, value: email } = findContact(contacts, contactId);
    if (type !== 'email') throw rejectOtherType();
    await requireMail(ctx);
    await consumeMailQuotaOfUser(caller.id);
    await consumeMailQuotaOfNetwork(ctx.meta);
    if (await consumeMailQuota('email-verification', email)) {
      const link = { kind: 'email-verification' as const, email, userId: caller.id, contactId };
      await mailLink(ctx, link, operation);
    }
    return { contactId, status: 'mailed' as const };
  },
});

function rejectOtherType(): Error {
  return inputError([{ path: 'path.contactId', message: 'Only a contact of type email is confirmed by mail.' }]);
}
