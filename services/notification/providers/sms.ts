import { z } from 'zod';
import { toE164 } from '../../../lib/format/phone-number.ts';
import { type EgressAnswer, type EgressRequest, requestTrusted } from '../../../lib/net/http-exchange.ts';
import {
  ask,
  defineProvider,
  failureOfStatus,
  jsonOf,
  ProviderError,
  type ProviderFailure,
  retryAfterOf,
} from './provider.ts';

const maxTextLength = 1600;
const senderPattern = /^(?:\+[1-9]\d{6,14}|MG[0-9a-f]{32}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}|\d{3,8})$/;

const credentials = z.strictObject({
  accountSid: z
    .string()
    .regex(/^AC[0-9a-f]{32}$/, 'Must be the SID of the account: AC and 32 hexadecimal digits.')
    .describe('The SID of the Twilio account.'),
  authToken: z
    .string()
    .regex(/^[\x21-\x7e]{16,128}$/, 'Must be the auth token, or the secret of the API key.')
    .describe('The auth token, or with `apiKeySid` the secret of the API key.'),
  /** With it, `authToken` is the secret of this API key. */
  apiKeySid: z
    .string()
    .regex(/^SK[0-9a-f]{32}$/, 'Must be the SID of the API key: SK and 32 hexadecimal digits.')
    .optional()
    .describe('The SID of an API key.'),
  /** A number in E.164, a short code, a name, or the SID of a messaging service. */
  from: z
    .string()
    .regex(senderPattern, 'Must be a number such as +491701234567, a sender name, or an MG… service SID.')
    .describe('The sender: a number in E.164, a short code, a name, or the SID of a messaging service.'),
});
type Credentials = z.output<typeof credentials>;

/** Text messages by Twilio's Messages API (https://www.twilio.com/docs/messaging/api/message-resource). */
export function sms(url: string) {
  async function askTwilio(
    { accountSid, apiKeySid, authToken }: Credentials,
    path: string,
    request: Omit<EgressRequest, 'url'>,
  ): Promise<Record<string, unknown>> {
    const basic = Buffer.from(`${apiKeySid ?? accountSid}:${authToken}`).toString('base64');
    const headers = { ...request.headers, Authorization: `Basic ${basic}` };
    const target = `${url}/2010-04-01/Accounts/${accountSid}${path}`;
    const answer = await ask('Twilio', () => requestTrusted({ ...request, url: target, headers }));
    if (answer.status !== 200 && answer.status !== 201) throw errorOf(answer);
    return jsonOf(answer);
  }

  return defineProvider({
    channels: ['phone'],
    credentials,
    perSecond: 20,
    addressOf: (recipient) => toE164(recipient) ?? null,
    async verify(credentials) {
      const { status } = await askTwilio(credentials, '.json', { method: 'GET' });
      if (status !== 'active') throw new ProviderError('unauthorized', `Twilio: the account is ${String(status)}.`);
    },
    async send({ recipient, text }, credentials) {
      if (text.length > maxTextLength) {
        throw new ProviderError('refused', `Twilio takes texts of at most ${maxTextLength} characters.`);
      }
      const sender = credentials.from.startsWith('MG') ? 'MessagingServiceSid' : 'From';
      const { sid } = await askTwilio(credentials, '/Messages.json', {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ To: recipient, Body: text, [sender]: credentials.from }).toString(),
      });
      return { providerMessageId: typeof sid === 'string' ? sid : null };
    },
  });
}

/** The failures by Twilio error code; other codes are classified by their HTTP status. */
const failures: Record<number, ProviderFailure> = {
  20003: 'unauthorized',
  20005: 'unauthorized',
  20404: 'unauthorized',
  20429: 'rateLimited',
  14107: 'rateLimited',
  // The sender is not the account's, or cannot send texts: no message of this connection can be sent.
  21212: 'unauthorized',
  21603: 'unauthorized',
  21606: 'unauthorized',
  21659: 'unauthorized',
  // The queue of the sender is full.
  21611: 'rateLimited',
  // The person has answered STOP.
  21610: 'refused',
  // Outside of the 24 hours in which WhatsApp takes free text.
  63016: 'refused',
  63018: 'rateLimited',
};

function errorOf(answer: EgressAnswer): ProviderError {
  const { code, message } = jsonOf(answer);
  const errorCode = typeof code === 'number' ? code : 0;
  const words = typeof message === 'string' ? message : `status ${answer.status}`;
  const failure = failures[errorCode] ?? failureOfStatus(answer.status);
  return new ProviderError(failure, `Twilio${errorCode ? ` (${errorCode})` : ''}: ${words}`, {
    retryAfter: retryAfterOf(answer),
  });
}
