import { createVerify, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleInstant } from '../../../lib/contract/examples.ts';
import { hour, minute, now, second } from '../../../lib/data/clock.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { applyReport, type Report } from './signed.ts';

const common = {
  MessageId: z.string().max(200),
  TopicArn: z.string().max(500),
  Message: z.string(),
  Timestamp: z.iso.datetime({ offset: true }),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.base64().max(4096),
  SigningCertURL: z.string().max(1000),
};

const snsMessage = z.discriminatedUnion('Type', [
  z.object({ Type: z.literal('Notification'), Subject: z.string().nullish(), ...common }),
  z.object({
    Type: z.enum(['SubscriptionConfirmation', 'UnsubscribeConfirmation']),
    Token: z.string().max(4096),
    SubscribeURL: z.string().max(2000),
    ...common,
  }),
]);

/** An Amazon SNS message with a verified signature. */
export type SnsMessage = z.output<typeof snsMessage>;

/** Fetches a URL as text; fails unless the status is 200. Injected in tests. */
export type FetchText = (address: string) => Promise<string>;

/** Older messages are replays; SNS retries for an hour. */
const maxAge = 2 * hour;
const maxAhead = 5 * minute;

/**
 * Parses an Amazon SNS message and verifies its signature, its age and its topic.
 *
 * @throws WEBHOOK_INVALID
 */
export async function verifySns(body: string, topics: string[], fetchText: FetchText): Promise<SnsMessage> {
  const message = parse(body);
  if (!topics.includes(message.TopicArn)) throw apiError('WEBHOOK_INVALID');
  const age = now().getTime() - Date.parse(message.Timestamp);
  if (age > maxAge || age < -maxAhead) throw apiError('WEBHOOK_INVALID');
  if (!isAmazon(message.SigningCertURL, message.TopicArn, /^\/SimpleNotificationService-\w{1,64}\.pem$/)) {
    throw apiError('WEBHOOK_INVALID');
  }
  const certificate = await certificateAt(message.SigningCertURL, fetchText);
  const verifier = createVerify(message.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256');
  verifier.update(signedText(message));
  if (!verifier.verify(certificate.publicKey, message.Signature, 'base64')) throw apiError('WEBHOOK_INVALID');
  return message;
}

/** Confirms the subscription of a topic by fetching the URL in the signed message. */
export async function confirmSubscription(address: string, topic: string, fetchText: FetchText): Promise<void> {
  if (!isAmazon(address, topic, /^\/$/)) throw apiError('WEBHOOK_INVALID');
  await fetchText(address);
}

function parse(body: string): SnsMessage {
  try {
    return snsMessage.parse(JSON.parse(body));
  } catch (error) {
    throw apiError('WEBHOOK_INVALID', { cause: error });
  }
}

/** Whether a URL is on Amazon's host for the topic's region, over HTTPS on the default port. */
function isAmazon(address: string, topic: string, path: RegExp): boolean {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') return false;
  const [, , , region = ''] = topic.split(':');
  const hosts = [`sns.${region}.amazonaws.com`, `sns.${region}.amazonaws.com.cn`];
  return hosts.includes(url.hostname) && path.test(url.pathname);
}

const certificates = new LRUCache<string, X509Certificate>({ max: 20 });

async function certificateAt(address: string, fetchText: FetchText): Promise<X509Certificate> {
  const cached = certificates.get(address);
  const certificate = cached ?? readCertificate(await fetchText(address));
  const at = now();
  if (certificate.validFromDate > at || certificate.validToDate < at) throw apiError('WEBHOOK_INVALID');
  certificates.set(address, certificate);
  return certificate;
}

function readCertificate(text: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw apiError('WEBHOOK_INVALID', { cause: error });
  }
}

/** The signed text: names and values on lines, in the order that Amazon documents. */
function signedText(message: SnsMessage): string {
  const fields: [string, string | null | undefined][] =
    message.Type === 'Notification'
      ? [
          ['Message', message.Message],
          ['MessageId', message.MessageId],
          ['Subject', message.Subject],
          ['Timestamp', message.Timestamp],
          ['TopicArn', message.TopicArn],
          ['Type', message.Type],
        ]
      : [
          ['Message', message.Message],
          ['MessageId', message.MessageId],
          ['SubscribeURL', message.SubscribeURL],
          ['Timestamp', message.Timestamp],
          ['Token', message.Token],
          ['TopicArn', message.TopicArn],
          ['Type', message.Type],
        ];
  return fields
    .flatMap(([name, value]) => (value === null || value === undefined ? [] : [`${name}\n${value}\n`]))
    .join('');
}

const timeout = 5 * second;
const maxLength = 64 * 1024;

/** Fetches a short text from an Amazon host without following redirects. */
export async function fetchAmazonText(address: string): Promise<string> {
  try {
    const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(timeout) });
    const text = await answer.text();
    if (!answer.ok || text.length > maxLength) throw new Error(`Amazon answered ${answer.status}.`);
    return text;
  } catch (error) {
    throw apiError('UNAVAILABLE', { cause: error });
  }
}

const recipient = z.object({ emailAddress: z.string(), diagnosticCode: z.string().optional() });

/** The used fields of an Amazon SES notification or event, whose kind is in one of two fields. */
const notice = z.object({
  notificationType: z.string().optional(),
  eventType: z.string().optional(),
  mail: z.object({
    headers: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
    tags: z.record(z.string(), z.array(z.string())).optional(),
  }),
  bounce: z.object({ bounceType: z.string(), bouncedRecipients: z.array(recipient) }).optional(),
  complaint: z
    .object({ complainedRecipients: z.array(recipient), complaintFeedbackType: z.string().nullish() })
    .optional(),
});

/**
 * POST /v1/mail/feedback/ses: reports of Amazon SES through an SNS topic. Verifies the signature, accepts only the
 * topics of MAIL_SES_TOPICS, and confirms their subscriptions automatically.
 */
export const receiveSes = defineAction({
  rest: 'POST /v1/mail/feedback/ses',
  summary: 'Receive bounces and complaints of Amazon SES',
  description:
    'Receives bounces and complaints of Amazon SES through an SNS topic. Only topics of the setting ' +
    '`MAIL_SES_TOPICS` are accepted, their signature is verified, and their subscription is confirmed ' +
    'automatically. Without the setting the path is `NOT_FOUND`.',
  permission: 'public',
  input: { body: z.string() },
  takes: 'text',
  limits: { bodyBytes: 300 * 1024, fromServers: true },
  output: z.strictObject({ received: z.literal(true) }).meta({ id: 'WebhookReceipt' }),
  errors: ['NOT_FOUND', 'WEBHOOK_INVALID'],
  example: {
    body: JSON.stringify({ Type: 'Notification', Timestamp: exampleInstant, Message: '{"notificationType":"Bounce"}' }),
    output: { received: true },
  },
  async handler({ body }) {
    if (settings.MAIL_SES_TOPICS.length === 0) throw apiError('NOT_FOUND');
    await handleSes(body, settings.MAIL_SES_TOPICS, fetchAmazonText);
    return { received: true as const };
  },
});

/** Verifies and applies an SNS message. `fetchText` is injected in tests. */
export async function handleSes(body: string, topics: string[], fetchText: FetchText): Promise<void> {
  const message = await verifySns(body, topics, fetchText);
  if (message.Type === 'SubscriptionConfirmation')
    await confirmSubscription(message.SubscribeURL, message.TopicArn, fetchText);
  if (message.Type !== 'Notification') return;
  for (const report of reportsOf(message.Message)) await applyReport(report);
}

function reportsOf(text: string): Report[] {
  const { data } = notice.safeParse(parseJson(text));
  const messageId = data && (tagOf(data.mail.tags) ?? headerOf(data.mail.headers));
  if (!data || !messageId) return [];
  const kind = data.notificationType ?? data.eventType;
  if (kind === 'Bounce' && data.bounce) {
    const isPermanent = data.bounce.bounceType === 'Permanent';
    return data.bounce.bouncedRecipients.map(({ emailAddress, diagnosticCode = '' }) => ({
      messageId,
      recipient: addressOf(emailAddress),
      type: 'bounced',
      isPermanent,
      detail: diagnosticCode,
    }));
  }
  if (kind !== 'Complaint' || !data.complaint) return [];
  const { complainedRecipients, complaintFeedbackType } = data.complaint;
  return complainedRecipients.map(({ emailAddress }) => ({
    messageId,
    recipient: addressOf(emailAddress),
    type: 'complained',
    // `not-spam`: the recipient reports that the mail was not spam.
    isPermanent: complaintFeedbackType !== 'not-spam',
    detail: complaintFeedbackType ?? '',
  }));
}

/** Parses JSON; other text is a notice for people, such as the first message of a topic. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const tagOf = (tags: Record<string, string[]> | undefined): string | undefined => tags?.['message-id']?.[0];

function headerOf(headers: { name: string; value: string }[] | undefined): string | undefined {
  return headers?.find(({ name }) => name.toLowerCase() === 'x-message-id')?.value.trim();
}

/** Extracts the address from `Grace <grace@example.com>` or from a bare address. */
const addressOf = (text: string): string => /<([^<>]+)>\s*$/.exec(text)?.[1] ?? text;
