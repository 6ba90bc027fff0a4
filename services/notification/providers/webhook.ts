import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { now } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { type EgressPolicy, problemOfUrl, requestOutside } from '../../../lib/net/egress.ts';
import { type EgressAnswer, EgressError } from '../../../lib/net/http-exchange.ts';
import { channels } from '../../../models/notification/connection.ts';
import { ask, defineProvider, failureOfStatus, ProviderError, type ProviderFailure, retryAfterOf } from './provider.ts';

const maxRecipientLength = 512;
const [minSecretBytes, maxSecretBytes] = [24, 64];

const secretSchema = z.string().refine((secret) => {
  if (!/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret)) return false;
  const { length } = keyOf(secret);
  return length >= minSecretBytes && length <= maxSecretBytes;
}, 'Must be whsec_ and 24 to 64 random bytes in base64.');

/** `timestamp`: when the event occurred. The time of the attempt is in the header `webhook-timestamp`. */
type Event = { type: string; timestamp: Date; data: object };

/** A signed POST to a URL of the organization, by Standard Webhooks (https://www.standardwebhooks.com). */
export function webhook(policy?: EgressPolicy) {
  async function post(target: { url: string; secret: string }, id: string, event: Event): Promise<void> {
    const body = JSON.stringify(event);
    const headers = { 'Content-Type': 'application/json', ...signatureOf(target.secret, id, body) };
    const request = { method: 'POST', url: target.url, headers, body } as const;
    const answer = await ask('The webhook', () => requestOutside(request, policy));
    if (answer.status < 200 || answer.status > 299) throw errorOf(answer);
  }

  return defineProvider({
    channels,
    credentials: z.strictObject({
      url: z
        .string()
        .superRefine((url, context) => {
          const message = problemOfUrl(url, policy);
          if (message !== null) context.addIssue({ code: 'custom', message });
        })
        .describe('The https address that gets the notifications.'),
      secret: secretSchema.describe('The secret that signs the requests.'),
    }),
    perSecond: 50,
    addressOf: (recipient) => (recipient.length <= maxRecipientLength ? recipient : null),
    verify: (target) => post(target, newId('msg'), { type: 'connection.test', timestamp: now(), data: {} }),
    async send({ notificationId, createdAt, channel, recipient, templateId, subject, text, html }, target) {
      const data = { notificationId, channel, recipientId: recipient, templateId, subject, text, html };
      await post(target, notificationId, { type: 'notification.send', timestamp: createdAt, data });
      return { providerMessageId: null };
    },
  });
}

/** Whether a verification failed because the URL must never be called. */
export function isForbidden({ cause }: ProviderError): boolean {
  return cause instanceof EgressError && cause.failure === 'forbidden';
}

function signatureOf(secret: string, id: string, body: string): Record<string, string> {
  const timestamp = String(Math.floor(now().getTime() / 1000));
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
}

function errorOf(answer: EgressAnswer): ProviderError {
  const { status } = answer;
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  const words = `The webhook answered ${status}${redirect}.`;
  return new ProviderError(failureOf(status), words, { retryAfter: retryAfterOf(answer) });
}

/** 410 means that the endpoint no longer accepts webhooks (Standard Webhooks). */
function failureOf(status: number): ProviderFailure {
  return status === 410 ? 'unauthorized' : failureOfStatus(status);
}
