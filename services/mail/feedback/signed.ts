import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../../lib/contract/errors.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import { detailsOf, inputMessage } from '../../../lib/contract/input.ts';
import { minute, now, second } from '../../../lib/data/clock.ts';
import { idPattern } from '../../../lib/data/ids.ts';
import { normalizeEmail } from '../../../lib/format/email-address.ts';
import { cutText } from '../../../lib/format/graphemes.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type Feedback, feedbackTypes, type MessageDocument, MessageModel } from '../../../models/mail/message.ts';
import { suppressAfter } from '../suppression-store.ts';

/** A report of a mail service about one recipient of a message. */
export type Report = Omit<Feedback, 'at'> & { messageId: string; recipient: string | null };

const maxDetailLength = 300;

/**
 * Records the report on the message, and suppresses an address that bounced permanently or complained. Ignores a report
 * about an unknown message or another recipient. Idempotent: a repeated report does not suppress an address again that
 * was removed from the list since.
 */
export async function applyReport({ messageId, recipient, type, isPermanent, detail }: Report): Promise<void> {
  if (!idPattern('msg').test(messageId)) return;
  const message = await MessageModel.findOne({ _id: messageId })
    .setOptions({ acrossTenants: true })
    .lean<MessageDocument>();
  if (!message || (recipient !== null && normalizeEmail(recipient) !== normalizeEmail(message.recipient))) return;
  const { orgId, _id, feedback } = message;
  if (feedback.some((one) => one.type === type && one.isPermanent === isPermanent)) return;
  // Runs before the report is recorded, so that a retry completes an interrupted one.
  if (isPermanent) await suppressAfter(message, type);
  const note: Feedback = { type, isPermanent, detail: shorten(detail), at: now() };
  const bounced = type === 'bounced' && isPermanent ? { status: 'bounced' as const } : {};
  await MessageModel.updateOne(
    { orgId, _id, feedback: { $not: { $elemMatch: { type, isPermanent } } } },
    { $push: { feedback: note }, $set: { ...bounced, updatedAt: now() } },
  );
}

/** Removes addresses and links, which a server may quote. */
function shorten(detail: string): string {
  const line = detail
    .replace(/\b[a-z][a-z+.-]*:\/\/\S+/gi, '(link)')
    .replace(/\S+@\S+/g, '(address)')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return cutText(line, maxDetailLength);
}

const report = z.strictObject({
  messageId: z.string().max(100),
  recipient: z.string().max(500).optional(),
  type: z.enum(feedbackTypes),
  /** Whether the address permanently rejects mail. */
  permanent: z.boolean().default(true),
  detail: z.string().max(2000).default(''),
});

const tolerance = 5 * minute;

/**
 * POST /v1/mail/feedback: bounces and complaints of any mail server. `x-signature` is `t=<seconds>,v1=<hex>`, the
 * HMAC-SHA256 of `<seconds>.<body>` under MAIL_FEEDBACK_SECRET.
 */
export const receiveFeedback = defineAction({
  rest: 'POST /v1/mail/feedback',
  summary: 'Receive bounces and complaints of a mail server',
  description:
    'Receives bounces and complaints from any mail server; only the server calls it. `x-signature` is ' +
    '`t=<seconds>,v1=<hex>`: the HMAC-SHA256 of `<seconds>.<body>` under the setting `MAIL_FEEDBACK_SECRET`, at ' +
    'most five minutes old. A permanent bounce or a complaint suppresses the address. Without the setting the path ' +
    'is `NOT_FOUND`.',
  permission: 'public',
  input: {
    headers: z.strictObject({
      'x-signature': z
        .string()
        .max(500)
        .optional()
        .describe('`t=<seconds>,v1=<hex>`: the time and the HMAC-SHA256 of `<seconds>.<body>`.'),
    }),
    body: z.string(),
  },
  takes: 'text',
  limits: { bodyBytes: 16 * 1024, fromServers: true },
  output: z.strictObject({ received: z.literal(true) }).meta({ id: 'WebhookReceipt' }),
  errors: ['NOT_FOUND', 'WEBHOOK_INVALID'],
  example: {
    headers: { 'x-signature': `t=1772443800,v1=${'0123456789abcdef'.repeat(4)}` },
    body: JSON.stringify({ messageId: exampleId('msg'), type: 'bounced', detail: '550 5.1.1 No such user' }),
    output: { received: true },
  },
  async handler({ headers: { 'x-signature': signature = '' }, body }) {
    const key = settings.MAIL_FEEDBACK_SECRET?.reveal();
    if (key === undefined) throw apiError('NOT_FOUND');
    if (!isFeedbackSigned(key, signature, body)) throw apiError('WEBHOOK_INVALID');
    const { messageId, recipient = null, type, permanent, detail } = parse(body);
    await applyReport({ messageId, recipient, type, isPermanent: type === 'complained' || permanent, detail });
    return { received: true as const };
  },
});

function parse(body: string): z.output<typeof report> {
  let given: unknown;
  try {
    given = JSON.parse(body);
  } catch {
    throw apiError('JSON_MALFORMED');
  }
  const { data, error } = report.safeParse(given, { error: inputMessage });
  if (error) throw inputError(error.issues.flatMap((issue) => detailsOf('body', issue)));
  return data;
}

/** Verifies a signature and its age, in constant time. */
export function isFeedbackSigned(key: string, signature: string, body: string): boolean {
  const [, seconds = '', given = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  if (Math.abs(now().getTime() - Number(seconds) * second) > tolerance) return false;
  const expected = createHmac('sha256', key).update(`${seconds}.${body}`).digest();
  const mac = Buffer.from(given, 'hex');
  return mac.length === expected.length && timingSafeEqual(mac, expected);
}
