import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { limitsOf, requireRoom } from '../../lib/clients/plan-limits.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import type { Operation } from '../../lib/contract/idempotency.ts';
import { decodeCursor, pageOf, pageQuery, pathId, timestamp, toPage } from '../../lib/contract/input.ts';
import { emailInput, storedEmails } from '../../lib/format/email-address.ts';
import { isSigned, sign } from '../../lib/security/encryption.ts';
import { settings } from '../../lib/settings/settings.ts';
import type { MessageDocument } from '../../models/mail/message.ts';
import { type SuppressionDocument, SuppressionModel, suppressionReasons } from '../../models/mail/suppression.ts';
import { suppress } from './suppression-store.ts';

const purpose = 'mail.unsubscribe.1';

/** The claims of an unsubscribe token. It never expires, because mail is kept for years. */
export type Subscription = { orgId: string; address: string; messageId: string };

export const unsubscribePath = '/mail/unsubscribe';

/** The URL that unsubscribes the recipient of a message from the organization's marketing mail. */
export function unsubscribeUrlOf({ orgId, to, _id }: Pick<MessageDocument, 'orgId' | 'to' | '_id'>): string {
  const text = Buffer.from(JSON.stringify([orgId, to, _id])).toString('base64url');
  return `${settings.PUBLIC_URL}${unsubscribePath}/${text}.${sign(purpose, text)}`;
}

/** Verifies a token; null if the platform did not sign it. */
export function readUnsubscribeToken(token: string): Subscription | null {
  const [text = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || !isSigned(purpose, text, signature)) return null;
  const [orgId = '', address = '', messageId = ''] = JSON.parse(Buffer.from(text, 'base64url').toString()) as string[];
  return { orgId, address, messageId };
}

const output = z
  .strictObject({
    id: z.string().describe('The id of the suppression (`sup_…`).'),
    address: z.string().describe('The suppressed email address.'),
    reason: z.enum(suppressionReasons).describe('Why it is suppressed.'),
    messageId: z.string().nullable().describe('The id of the mail that caused it (`msg_…`); null if none.'),
    createdAt: timestamp,
  })
  .meta({ id: 'Suppression' });

const example = {
  id: exampleId('sup'),
  address: 'grace@example.com',
  reason: 'manual',
  messageId: null,
  createdAt: exampleInstant,
} satisfies z.input<typeof output>;

/** GET /v1/mail/suppressions: the suppressed addresses, newest first. */
export const listSuppressions = defineAction({
  rest: 'GET /v1/mail/suppressions',
  summary: 'List suppressed addresses',
  description:
    'Returns the addresses to which the organization sends nothing, the newest first: after a permanent bounce, a ' +
    'complaint, an unsubscription, or by hand.',
  permission: 'mail.read',
  tenant: 'required',
  input: {
    query: z.strictObject({
      ...pageQuery,
      address: z.string().max(254).optional().describe('Only this email address.'),
    }),
  },
  output: pageOf(output),
  errors: ['CURSOR_INVALID'],
  example: { query: { limit: '20' }, output: { data: [example], nextCursor: null } },
  async handler({ query: { limit, cursor, address }, caller: { orgId } }) {
    const [before] = decodeCursor(cursor, 1) ?? [];
    const found = await SuppressionModel.find({
      orgId,
      ...(address !== undefined && { address: { $in: storedEmails(address) } }),
      ...(before !== undefined && { _id: { $lt: before } }),
    })
      .sort({ _id: -1 })
      .limit(limit + 1)
      .lean<SuppressionDocument[]>();
    return toPage(found, limit, ({ _id }) => [_id], toSuppressionResponse);
  },
});

/** POST /v1/mail/suppressions: suppresses an address manually; an existing suppression stays unchanged. */
export const createSuppression = defineAction({
  rest: 'POST /v1/mail/suppressions',
  summary: 'Suppress an address',
  description:
    'Suppresses an address by hand: no mail is sent to it until the suppression is deleted. An address that is ' +
    'suppressed already keeps its reason.',
  permission: 'mail.settings.write',
  tenant: 'required',
  input: {
    body: z.strictObject({ address: emailInput.describe('The email address.') }).meta({ id: 'SuppressionInput' }),
  },
  output,
  status: 201,
  errors: ['PLAN_LIMIT_EXCEEDED'],
  // An address is stored once, regardless of which run of the operation stores it.
  idempotent: { resume: 'rerun' },
  example: { body: { address: 'grace@example.com' }, output: example },
  async handler({ body: { address }, caller: { orgId }, operation, ctx }) {
    const present = await findSuppression(orgId, address);
    // An earlier run of the operation may have stored the suppression without recording it.
    const isOwn = present?._id === operation.newId('sup');
    if (!present || isOwn || present.reason === 'unsubscribed') {
      await add(ctx, operation, { orgId, address, isNew: !present });
    }
    const stored = await findSuppression(orgId, address);
    if (!stored) throw apiError('CONFLICT');
    return toSuppressionResponse(stored);
  },
});

/**
 * Finds the suppression of an address. An earlier version may have stored a second one in another form; the newer one
 * applies.
 */
function findSuppression(orgId: string, address: string): Promise<SuppressionDocument | null> {
  return SuppressionModel.findOne({ orgId, address: { $in: storedEmails(address) } })
    .sort({ _id: -1 })
    .lean<SuppressionDocument>()
    .exec();
}

type Added = { orgId: string; address: string; isNew: boolean };

async function add(ctx: Ctx, operation: Operation, { orgId, address, isNew }: Added) {
  if (isNew) requireRoom(await limitsOf(ctx, orgId), { orgId, name: 'suppressions', present: await countOf(orgId) });
  const id = operation.newId('sup');
  await suppress({ orgId, address, reason: 'manual', id });
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: 'mail-suppression.created',
    orgId,
    target: { type: 'suppression', id },
  });
}

const counts = new LRUCache<string, { count: number }>({ max: 1000, ttlResolution: 0 });

/**
 * Counts the suppressed addresses of an organization. Caches a large count for some seconds because counting is slow,
 * so concurrent additions may exceed the plan's limit.
 */
async function countOf(orgId: string): Promise<number> {
  const cached = counts.get(orgId);
  if (cached) return cached.count++;
  const count = await SuppressionModel.countDocuments({ orgId });
  // A TTL of 0 would not expire.
  counts.set(orgId, { count: count + 1 }, { ttl: Math.max(1, count / 10) });
  return count;
}

/** DELETE /v1/mail/suppressions/:suppressionId: allows mail to the address again. */
export const deleteSuppression = defineAction({
  rest: 'DELETE /v1/mail/suppressions/:suppressionId',
  summary: 'Send to a suppressed address again',
  description:
    'Deletes a suppression, so that mail is sent to the address again. Another bounce or complaint suppresses it ' +
    'again.',
  permission: 'mail.settings.write',
  tenant: 'required',
  input: { path: z.strictObject({ suppressionId: pathId('sup') }) },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { path: { suppressionId: example.id } },
  async handler({ path: { suppressionId: _id }, caller: { orgId }, ctx }) {
    const removed = await SuppressionModel.findOneAndDelete({ orgId, _id }).lean<SuppressionDocument>();
    if (!removed) throw apiError('NOT_FOUND', { message: 'No suppression has this id.' });
    counts.delete(orgId);
    await recordAuditEvent(ctx, {
      action: 'mail-suppression.deleted',
      orgId,
      target: { type: 'suppression', id: _id },
      before: { reason: removed.reason },
    });
  },
});

function toSuppressionResponse({
  _id: id,
  address,
  reason,
  messageId,
  createdAt,
}: SuppressionDocument): z.output<typeof output> {
  return { id, address, reason, messageId, createdAt: createdAt.toISOString() };
}
