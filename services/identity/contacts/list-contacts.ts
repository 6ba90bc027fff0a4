import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { pageOf, pageQuery } from '../../../lib/page.ts';
import { readCurrentUser } from '../users/current-user.ts';
import { listParts } from '../users/list-parts.ts';
import { contactOutput, refuseWithoutEmail, showContact } from './contacts.ts';

/** GET /identity/me/contacts: the contacts of the current user, the oldest first. */
export const listContacts = defineAction({
  rest: 'GET /identity/me/contacts',
  summary: 'List your contacts',
  permission: 'user',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(contactOutput),
  errors: ['CURSOR_INVALID'],
  async handler({ query, caller }) {
    refuseWithoutEmail(caller);
    const { contacts } = await readCurrentUser(caller.id);
    return listParts(contacts, ({ contactId }) => contactId, query, showContact);
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.contacts.list': typeof listContacts;
  }
}
