import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { UserCaller } from '../../../lib/caller.ts';
import { apiError } from '../../../lib/errors.ts';
import { pageOf, pageQuery } from '../../../lib/page.ts';
import { readCurrentUser } from '../users/current-user.ts';
import { listParts } from '../users/list-parts.ts';
import { contactOutput, exampleContact, exampleLoginContact, toContactResponse } from './contacts.ts';

/** GET /identity/me/contacts: the contacts of the current user, the oldest first. */
export const listContacts = defineAction({
  rest: 'GET /identity/me/contacts',
  summary: 'List your contacts',
  permission: 'user',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(contactOutput),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20' },
    output: { data: [exampleLoginContact, exampleContact], nextCursor: null },
  },
  async handler({ query, caller }) {
    refuseWithoutEmail(caller);
    const { contacts } = await readCurrentUser(caller.id);
    return listParts(contacts, ({ contactId }) => contactId, query, toContactResponse);
  },
});

/** The contacts include the login email, so a client's token needs the scope that shows it. */
function refuseWithoutEmail({ granted }: UserCaller): void {
  if (granted?.includes('email') ?? true) return;
  throw apiError('PERMISSION_DENIED', { message: 'The token lacks the scope email.' });
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.contacts.list': typeof listContacts;
  }
}
