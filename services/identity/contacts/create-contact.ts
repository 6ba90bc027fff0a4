import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { newId } from '../../../lib/ids.ts';
import { contactTypes } from '../../../models/identity/user.ts';
import { changeUser } from '../users/change-user.ts';
import { addContact, findContact } from './contact-list.ts';
import { contactValue } from './contact-value.ts';
import { contactOutput, contactText, recordContactAct, showContact } from './contacts.ts';

/**
 * POST /identity/me/contacts: adds a contact, unverified. The first of its type is primary even when that is not asked
 * for; one that is made primary demotes the one that was.
 */
export const createContact = defineAction({
  rest: 'POST /identity/me/contacts',
  summary: 'Add a contact',
  permission: 'session',
  input: {
    body: z.strictObject({ type: z.enum(contactTypes), value: contactText, isPrimary: z.boolean().default(false) }),
  },
  output: contactOutput,
  status: 201,
  errors: ['CONTACT_EXISTS', 'LIMIT_REACHED', 'CONFLICT'],
  idempotent: true,
  async handler({ body: { type, isPrimary, ...body }, caller, ctx }) {
    const value = contactValue(type, body.value);
    const contactId = newId('con');
    const { after } = await changeUser(caller.id, ({ contacts }, at) => {
      const contact = { contactId, type, value, isPrimary, verifiedAt: null, createdAt: at, updatedAt: at };
      return { contacts: addContact(contacts, contact) };
    });
    const contact = findContact(after.contacts, contactId);
    await recordContactAct(ctx, 'contact.created', { contact });
    return showContact(contact);
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.contacts.create': typeof createContact;
  }
}
