import { createVerify, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { hour, minute, now, second } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';

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

const certificates = new Map<string, X509Certificate>();
const maxCertificates = 20;

async function certificateAt(address: string, fetchText: FetchText): Promise<X509Certificate> {
  const cached = certificates.get(address);
  const certificate = cached ?? readCertificate(await fetchText(address));
  const at = now();
  if (certificate.validFromDate > at || certificate.validToDate < at) throw apiError('WEBHOOK_INVALID');
  certificates.set(address, certificate);
  const [oldest] = certificates.keys();
  if (certificates.size > maxCertificates && oldest !== undefined) certificates.delete(oldest);
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
