import { createContact } from './create-contact.ts';
import { listContacts } from './list-contacts.ts';
import { removeContact } from './remove-contact.ts';
import { updateContact } from './update-contact.ts';

export const contactActions = {
  'contacts.list': listContacts,
  'contacts.create': createContact,
  'contacts.update': updateContact,
  'contacts.remove': removeContact,
};
