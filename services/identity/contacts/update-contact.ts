import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { changeUser } from '../users/change-user.ts';
import { changeContact, findContact } from './contact-list.ts';
import {
  contactOutput,
  contactPath,
  contactText,
  exampleContact,
  recordContactAct,
  toContactResponse,
} from './contacts.ts';

/**
 * PATCH /identity/me/contacts/:contactId: changes the value, which then is unverified, or makes the contact primary,
 * which demotes the previous one. `isPrimary: false` for the primary is 400: another is made primary instead. A body
 * without fields changes nothing.
 */
export const updateContact = defineAction({
  rest: 'PATCH /identity/me/contacts/:contactId',
  summary: 'Change a contact',
  permission: 'session',
  input: {
    path: contactPath,
    body: z.strictObject({ value: contactText.optional(), isPrimary: z.boolean().optional() }),
  },
  output: contactOutput,
  errors: ['NOT_FOUND', 'CONTACT_EXISTS', 'CONTACT_IS_LOGIN', 'CONFLICT'],
  example: {
    path: { contactId: exampleContact.contactId },
    body: { value: 'ada.lovelace@example.org', isPrimary: true },
    output: {
      ...exampleContact,
      value: 'ada.lovelace@example.org',
      isPrimary: true,
      updatedAt: '2026-03-05T14:00:00.000Z',
    },
  },
  async handler({ path: { contactId }, body, caller, ctx }) {
    const { before, after } = await changeUser(caller.id, ({ contacts, email: loginEmail }, at) => {
      const changed = changeContact(contacts, contactId, body, { loginEmail, at });
      return changed.every((contact, index) => contact === contacts[index]) ? {} : { contacts: changed };
    });
    const previous = findContact(before.contacts, contactId);
    const contact = findContact(after.contacts, contactId);
    const fields = (['value', 'isPrimary'] as const).filter((field) => previous[field] !== contact[field]);
    if (fields.length > 0) await recordContactAct(ctx, 'contact.updated', { contact, fields });
    return toContactResponse(contact);
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.contacts.update': typeof updateContact;
  }
}
