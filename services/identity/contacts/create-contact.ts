import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { Ctx } from '../../../lib/caller.ts';
import type { Operation } from '../../../lib/operation.ts';
import { type Contact, contactTypes } from '../../../models/identity/user.ts';
import { changeUser } from '../users/change-user.ts';
import { readCurrentUser } from '../users/current-user.ts';
import { addContact, findContact } from './contact-list.ts';
import { contactValue } from './contact-value.ts';
import { contactOutput, contactText, exampleContact, recordContactAct, toContactResponse } from './contacts.ts';

/**
 * POST /identity/me/contacts: adds a contact, unverified. The first of its type is primary even when not requested; a
 * new primary demotes the previous one.
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
  idempotent: {
    async resume({ caller, operation, ctx }) {
      const { contacts } = await readCurrentUser(caller.id);
      const contact = contacts.find(({ contactId }) => contactId === operation.newId('con'));
      return contact ? await complete(ctx, operation, contact) : null;
    },
  },
  example: {
    body: { type: 'email', value: exampleContact.value, isPrimary: false },
    output: exampleContact,
  },
  async handler({ body: { type, isPrimary, ...body }, caller, operation, ctx }) {
    const value = contactValue(type, body.value);
    const contactId = operation.newId('con');
    const { after } = await changeUser(caller.id, ({ contacts }, at) => {
      if (contacts.some((contact) => contact.contactId === contactId)) return {};
      const contact = { contactId, type, value, isPrimary, verifiedAt: null, createdAt: at, updatedAt: at };
      return { contacts: addContact(contacts, contact) };
    });
    return await complete(ctx, operation, findContact(after.contacts, contactId));
  },
});

/** Completes the operation after the change of the user. Idempotent. */
async function complete(ctx: Ctx, operation: Operation, contact: Contact) {
  await recordContactAct(ctx, 'contact.created', { id: operation.newId('aud'), contact });
  return toContactResponse(contact);
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.contacts.create': typeof createContact;
  }
}
