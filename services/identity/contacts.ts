import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import type { Ctx, UserCaller } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import type { Operation } from '../../lib/contract/idempotency.ts';
import { pageOf, pageQuery, pathId, timestamp } from '../../lib/contract/input.ts';
import { type Contact, contactTypes } from '../../models/identity/user.ts';
import {
  addContact,
  changeContact,
  contactValue,
  findContact,
  removeContact as withoutContact,
} from './contact-rules.ts';
import { changeUser, listParts, readCurrentUser } from './users.ts';

/** Any text is accepted in the path: one that names none of the user's contacts is 404, never 400. */
export const contactPath = z.strictObject({ contactId: pathId('con') });

/** Longer than any value can be; the format of each type is checked when the type is known. */
const contactText = z
  .string()
  .max(500, 'Must be at most 500 characters.')
  .describe('The address, number or account. Phone numbers are stored in E.164.');

/** A contact as its owner sees it. */
export const contactOutput = z
  .strictObject({
    contactId: z.string(),
    type: z.enum(contactTypes).describe('What kind of contact it is.'),
    value: z.string().describe('The address, number or account.'),
    isPrimary: z.boolean(),
    verified: z.boolean().describe('Whether the user has confirmed the contact.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Contact' });

/** The address with which the user of the examples logs in. */
export const exampleLoginContact = {
  contactId: exampleId('con', 'work'),
  type: 'email',
  value: 'ada@acme-bikes.example',
  isPrimary: true,
  verified: true,
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof contactOutput>;

export const exampleContact = {
  contactId: exampleId('con'),
  type: 'email',
  value: 'ada@example.org',
  isPrimary: false,
  verified: false,
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof contactOutput>;

export function toContactResponse(contact: Contact): z.output<typeof contactOutput> {
  const { contactId, type, value, isPrimary, verifiedAt, createdAt, updatedAt } = contact;
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { contactId, type, value, isPrimary, verified: verifiedAt !== null, ...times };
}

type ContactAct = { id?: string; contact: Contact; fields?: string[] };

/** The record of a contact holds its type and the names of the changed fields only: its value is private. */
async function recordContactAct(
  ctx: Ctx,
  action: 'contact.created' | 'contact.updated' | 'contact.removed',
  { contact, fields, ...act }: ContactAct,
): Promise<void> {
  const userId = ctx.meta.caller?.id;
  const after = { type: contact.type, ...(fields && { fields }) };
  await recordAuditEvent(ctx, {
    ...act,
    action,
    ...(userId !== undefined && { userId }),
    target: { type: 'contact', id: contact.contactId },
    after,
  });
}

/**
 * POST /identity/me/contacts: adds a contact, unverified. The first of its type is primary even when not requested; a
 * new primary demotes the previous one.
 */
export const createContact = defineAction({
  rest: 'POST /identity/me/contacts',
  summary: 'Add a contact',
  description:
    'Adds an email address, phone number or chat account, which is unverified at first. The first contact of a ' +
    'type is primary; a new primary contact demotes the previous one. A user has at most 50 contacts ' +
    '(`LIMIT_REACHED`) and each value once (`CONTACT_EXISTS`).',
  permission: 'session',
  input: {
    body: z
      .strictObject({
        type: z.enum(contactTypes).describe('What kind of contact it is.'),
        value: contactText,
        isPrimary: z.boolean().default(false),
      })
      .meta({ id: 'ContactInput' }),
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

/** GET /identity/me/contacts: the contacts of the current user, the oldest first. */
export const listContacts = defineAction({
  rest: 'GET /identity/me/contacts',
  summary: 'List your contacts',
  description:
    'Returns the email addresses, phone numbers and chat accounts of the user, the oldest first. An access token ' +
    'needs the scope `email`, because the login address is among them.',
  permission: 'user',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(contactOutput),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20' },
    output: { data: [exampleLoginContact, exampleContact], nextCursor: null },
  },
  async handler({ query, caller }) {
    rejectWithoutEmail(caller);
    const { contacts } = await readCurrentUser(caller.id);
    return listParts(contacts, ({ contactId }) => contactId, query, toContactResponse);
  },
});

/** The contacts include the login email, so a client's token needs the scope that shows it. */
function rejectWithoutEmail({ granted }: UserCaller): void {
  if (granted?.includes('email') ?? true) return;
  throw apiError('PERMISSION_DENIED', { message: 'The token lacks the scope email.' });
}

/**
 * DELETE /identity/me/contacts/:contactId: removes a contact. When it was primary, the oldest remaining one of its type
 * becomes primary.
 */
export const removeContact = defineAction({
  rest: 'DELETE /identity/me/contacts/:contactId',
  summary: 'Remove a contact',
  description:
    'Removes a contact. If it was primary, the oldest remaining contact of its type becomes primary. The address ' +
    'with which the user signs in cannot be removed (`CONTACT_IS_LOGIN`).',
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

/**
 * PATCH /identity/me/contacts/:contactId: changes the value, which then is unverified, or makes the contact primary,
 * which demotes the previous one. `isPrimary: false` for the primary is 400: another is made primary instead. A body
 * without fields changes nothing.
 */
export const updateContact = defineAction({
  rest: 'PATCH /identity/me/contacts/:contactId',
  summary: 'Change a contact',
  description:
    'Changes the value of a contact, which is then unverified, or makes it primary, which demotes the previous ' +
    'primary contact of its type. The value with which the user signs in cannot be changed here ' +
    '(`CONTACT_IS_LOGIN`). To demote a primary contact, make another one primary.',
  permission: 'session',
  input: {
    path: contactPath,
    body: z
      .strictObject({ value: contactText.optional(), isPrimary: z.boolean().optional() })
      .meta({ id: 'ContactUpdateInput' }),
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
