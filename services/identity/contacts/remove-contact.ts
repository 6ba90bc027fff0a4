import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { changeUser } from '../users/change-user.ts';
import { findContact, removeContact as withoutContact } from './contact-list.ts';
import { contactPath, exampleContact, recordContactAct } from './contacts.ts';

/**
 * DELETE /identity/me/contacts/:contactId: removes a contact. When it was primary, the oldest remaining one of its type
 * becomes primary.
 */
export const removeContact = defineAction({
  rest: 'DELETE /identity/me/contacts/:contactId',
  summary: 'Remove a contact',
  permission: 'session',
  input: { path: contactPath },
  output: z.void(),
  errors: ['NOT_FOUND', 'CONTACT_IS_LOGIN', 'CONFLICT'],
  example: { path: { contactId: exampleContact.contactId } },
  async handler({ path: { contactId }, caller, ctx }) {
    const { before } = await changeUser(caller.id, ({ contacts, email: loginEmail }, at) => ({
      contacts: withoutContact(contacts, contactId, { loginEmail, at }),
    }));
    await recordContactAct(ctx, 'contact.removed', { contact: findContact(before.contacts, contactId) });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.contacts.remove': typeof removeContact;
  }
}
