import { z } from 'zod';
import { defineAction } from '../../lib/contract/define-action.ts';
import { exampleId } from '../../lib/contract/examples.ts';
import { pageOf, pageQuery, pathId } from '../../lib/contract/input.ts';
import type { Contact, UserDocument } from '../../models/identity/user.ts';
import { contactOutput, exampleContact, exampleLoginContact, toContactResponse } from './contacts.ts';
import { findMember } from './users.actions.ts';
import { exampleMember, listParts } from './users.ts';

/**
 * A contact as an organization's administrators see it. Contacts belong to the person, who may be a member of other
 * organizations too: `value` is whole for the login email alone, and shortened in the others, so that a person can be
 * asked whether a contact is still theirs.
 */
const userContactOutput = contactOutput
  .extend({ isShortened: z.boolean().describe('Whether `value` is shortened; false for the login address.') })
  .meta({ id: 'UserContact' });

/** GET /identity/users/:userId/contacts: the contacts of a member of the organization, the oldest first. */
export const listUserContacts = defineAction({
  rest: 'GET /identity/users/:userId/contacts',
  summary: "List a user's contacts, shortened",
  description:
    'Returns the contacts of a member, the oldest first, so that you can ask whether one is still theirs. Contacts ' +
    'belong to the person: only the login address is shown whole, the others are shortened, such as ' +
    '`a…@example.org`.',
  permission: 'console.users.read',
  organization: ({ query }) => query.orgId,
  input: {
    path: z.strictObject({ userId: pathId('usr') }),
    query: z.strictObject({ ...pageQuery, orgId: z.string().optional() }),
  },
  output: pageOf(userContactOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { userId: exampleMember.id },
    query: { limit: '20', orgId: exampleId('org') },
    output: {
      data: [
        { ...exampleLoginContact, isShortened: false },
        { ...exampleContact, value: 'a…@example.org', isShortened: true },
      ],
      nextCursor: null,
    },
  },
  async handler({ path: { userId }, query, caller: { orgId }, ctx }) {
    const { user } = await findMember(ctx, orgId, userId);
    return listParts(
      user.contacts,
      ({ contactId }) => contactId,
      query,
      (contact) => toUserContactResponse(contact, user),
    );
  },
});

function toUserContactResponse(contact: Contact, { email }: UserDocument): z.output<typeof userContactOutput> {
  const shown = toContactResponse(contact);
  if (contact.type === 'email' && contact.value === email) return { ...shown, isShortened: false };
  return { ...shown, value: shortened(contact), isShortened: true };
}

/** Enough to recognize a contact that one knows: `a…@example.org`, `+49…42`, `@h…`. */
export function shortened({ type, value }: Pick<Contact, 'type' | 'value'>): string {
  if (type === 'phone') return `${value.slice(0, 3)}…${value.slice(-2)}`;
  const [first = ''] = /^@?./u.exec(value) ?? [];
  return type === 'email' ? `${first}…${value.slice(value.lastIndexOf('@'))}` : `${first}…`;
}
