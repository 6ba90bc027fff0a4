import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { pathId } from '../../../lib/path-text.ts';
import { type Contact, contactTypes } from '../../../models/identity/user.ts';

/** Any text is accepted in the path: one that names none of the user's contacts is 404, never 400. */
export const contactPath = z.strictObject({ contactId: pathId('con') });

/** Longer than any value can be; the format of each type is checked when the type is known. */
export const contactText = z.string().max(500, 'Must be at most 500 characters.');

/** A contact as its owner sees it. */
export const contactOutput = z
  .strictObject({
    contactId: z.string(),
    type: z.enum(contactTypes),
    value: z.string(),
    isPrimary: z.boolean(),
    verified: z.boolean(),
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
export async function recordContactAct(
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
