import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { organizationId, singleLine } from '../../../lib/contract/input.ts';
import { idPattern } from '../../../lib/data/ids.ts';
import { type VisitorDocument, VisitorModel } from '../../../models/connect/visitor.ts';
import { findFirstSite, findSite } from '../sites/sites.ts';
import { identifiersOf, storeIdentified } from '../visitors/visitors.ts';
import { announceMessage } from './hints.ts';
import { messageText } from './messages.ts';
import { postNotification } from './post-to-visitor.ts';

const visitorPattern = idPattern('vis');

/**
 * `connect.messages.notify`, for the channel `web` of notifications: adds a message to the open conversation of a
 * customer or a visitor, or begins one. Idempotent by key. A customer who has never visited the site finds the message
 * on the first signed visit.
 *
 * @throws NOT_FOUND the site or the visitor does not exist, or the organization has no site; IDEMPOTENCY_MISMATCH.
 */
export const notify = defineAction({
  summary: 'Add a notification to the conversation of a customer',
  permission: 'internal',
  input: {
    body: z.strictObject({
      orgId: organizationId,
      /** Default: the site that the customer visited last, otherwise the first site. */
      siteId: z.string().optional(),
      /** The organization's id of a customer, or the id of a visitor. */
      recipient: singleLine(256),
      text: messageText.regex(/[^\s]/, 'Required.'),
      /** Identifies the notification within the organization. */
      key: z.string().min(1).max(200),
    }),
  },
  output: z.strictObject({ conversationId: z.string(), messageId: z.string(), seq: z.int() }),
  errors: ['NOT_FOUND', 'IDEMPOTENCY_MISMATCH'],
  async handler({ body: { orgId, siteId, recipient, text, key }, operation, ctx }) {
    const visitor = await findRecipient(orgId, siteId, recipient);
    const draft = { id: operation.newId('cmsg'), echoKey: `notify:${key}`, text, attachments: [] };
    const { conversation, message, isNew } = await postNotification(visitor, draft);
    if (isNew) await announceMessage(ctx, conversation, message);
    return { conversationId: conversation._id, messageId: message._id, seq: message.seq };
  },
});

async function findRecipient(orgId: string, siteId: string | undefined, recipient: string): Promise<VisitorDocument> {
  const onSite = siteId === undefined ? {} : { siteId };
  if (siteId !== undefined) await findSite(orgId, siteId);
  if (visitorPattern.test(recipient)) {
    const visitor = await VisitorModel.findOne({ orgId, _id: recipient, ...onSite }).lean<VisitorDocument>();
    if (!visitor) throw apiError('NOT_FOUND', { message: 'The visitor does not exist.' });
    return visitor;
  }
  const customer = await VisitorModel.findOne({ orgId, userId: recipient, ...onSite })
    .sort({ lastSeenAt: -1 })
    .lean<VisitorDocument>();
  if (customer) return customer;
  const site = siteId ?? (await findFirstSite(orgId))?._id;
  if (site === undefined) throw apiError('NOT_FOUND', { message: 'The organization has no website yet.' });
  const unknown = { name: null, email: null, locale: null, network: null };
  const identifiers = identifiersOf({ id: recipient });
  return await storeIdentified({ orgId, siteId: site, userId: recipient, identifiers, ...unknown });
}
