import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { applyReport } from './signed.ts';

/** The permanent bounces. `Blocked` is not one: it is about the sender's reputation or the content. */
const permanentTypes = new Set(['HardBounce', 'BadEmailAddress', 'ManuallyDeactivated']);

/** The used fields of a Postmark webhook. `Metadata` contains the id from the header X-PM-Metadata-message-id. */
const webhook = z
  .object({
    RecordType: z.string().max(100).describe('`Bounce` or `SpamComplaint`; other records are ignored.'),
    Type: z.string().max(100).optional().describe('The kind of bounce.'),
    Email: z.string().max(500).optional().describe('The address of the recipient.'),
    Description: z.string().max(5000).optional().describe('The reason in words of Postmark.'),
    Details: z.string().max(5000).optional().describe('The answer of the mail server.'),
    Metadata: z.record(z.string(), z.string()).optional().describe('The metadata of the mail; `message-id` names it.'),
  })
  .meta({ id: 'PostmarkWebhookInput' });

/** POST /v1/mail/feedback/postmark: bounces and spam complaints, with the Basic credentials of the settings. */
export const receivePostmark = defineAction({
  rest: 'POST /v1/mail/feedback/postmark',
  summary: 'Receive bounces and complaints of Postmark',
  description:
    'Receives bounces and spam complaints of Postmark, which authenticates with the setting ' +
    '`MAIL_POSTMARK_CREDENTIALS`. A permanent bounce or a complaint suppresses the address; other records are ' +
    'acknowledged and ignored. Without the setting the path is `NOT_FOUND`.',
  permission: 'public',
  input: {
    headers: z.strictObject({ authorization: z.string().max(1000).meta({ securityScheme: 'postmark' }).optional() }),
    body: webhook,
  },
  limits: { fromServers: true },
  output: z.strictObject({ received: z.literal(true) }).meta({ id: 'WebhookReceipt' }),
  errors: ['NOT_FOUND', 'WEBHOOK_INVALID'],
  example: {
    headers: { authorization: 'Basic cG9zdG1hcms6YS1sb25nLXJhbmRvbS1wYXNzd29yZA==' },
    body: {
      RecordType: 'Bounce',
      Type: 'HardBounce',
      Email: 'grace@example.com',
      Metadata: { 'message-id': exampleId('msg') },
    },
    output: { received: true },
  },
  async handler({ headers: { authorization = '' }, body }) {
    const credentials = settings.MAIL_POSTMARK_CREDENTIALS?.reveal();
    if (credentials === undefined) throw apiError('NOT_FOUND');
    if (!isBasic(authorization, credentials)) throw apiError('WEBHOOK_INVALID', { message: 'Invalid credentials.' });
    const { RecordType, Type = '', Email, Description = '', Details = '', Metadata = {} } = body;
    const type = RecordType === 'Bounce' ? 'bounced' : RecordType === 'SpamComplaint' ? 'complained' : null;
    if (type !== null) {
      await applyReport({
        messageId: metadataOf(Metadata),
        recipient: Email ?? null,
        type,
        isPermanent: type === 'complained' || permanentTypes.has(Type),
        detail: Description || Details,
      });
    }
    return { received: true as const };
  },
});

/** Postmark may change the case of header names, and so of metadata names. */
function metadataOf(metadata: Record<string, string>): string {
  return Object.entries(metadata).find(([name]) => name.toLowerCase() === 'message-id')?.[1] ?? '';
}

/** Compares in constant time. */
function isBasic(authorization: string, credentials: string): boolean {
  const [, given = ''] = /^Basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(authorization) ?? [];
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
  return timingSafeEqual(digest(Buffer.from(given, 'base64')), digest(Buffer.from(credentials)));
}
