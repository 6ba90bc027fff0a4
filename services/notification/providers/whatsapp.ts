import { z } from 'zod';
import { toE164 } from '../../../lib/format/phone-number.ts';
import { type EgressAnswer, type EgressRequest, requestTrusted } from '../../../lib/net/http-exchange.ts';
import {
  ask,
  boundedRetryAfter,
  defineProvider,
  failureOfStatus,
  isRecord,
  jsonOf,
  type OutgoingNotification,
  ProviderError,
  type ProviderFailure,
  retryAfterOf,
} from './provider.ts';

const maxTextLength = 4096;

/**
 * A number of WhatsApp's Cloud API. Free text reaches only people who wrote within 24 hours; a template that WhatsApp has
 * approved reaches all.
 */
export function whatsapp(url: string) {
  async function askGraph(
    accessToken: string,
    path: string,
    request: Omit<EgressRequest, 'url'>,
  ): Promise<EgressAnswer> {
    const headers = { ...request.headers, Authorization: `Bearer ${accessToken}` };
    const answer = await ask('WhatsApp', () => requestTrusted({ ...request, url: `${url}/${path}`, headers }));
    if (answer.status !== 200) throw errorOf(answer);
    return answer;
  }

  return defineProvider({
    channels: ['chatapp'],
    credentials: z.strictObject({
      phoneNumberId: z
        .string()
        .regex(/^\d{5,20}$/, 'Must be the numeric id of the phone number.')
        .describe('The id of the phone number at Meta.'),
      accessToken: z
        .string()
        .regex(/^[\x21-\x7e]{20,1000}$/, 'Must be an access token.')
        .describe('The access token of the WhatsApp Business account.'),
    }),
    perSecond: 70,
    addressOf: phoneDigits,
    async verify({ phoneNumberId, accessToken }) {
      await askGraph(accessToken, `${phoneNumberId}?fields=display_phone_number,verified_name`, { method: 'GET' });
    },
    async send(message, { phoneNumberId, accessToken }) {
      const answer = await askGraph(accessToken, `${phoneNumberId}/messages`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(contentOf(message)),
      });
      const { messages } = jsonOf(answer);
      const [first] = Array.isArray(messages) ? messages : [];
      return { providerMessageId: isRecord(first) && typeof first.id === 'string' ? first.id : null };
    },
  });
}

/** A telephone number as its digits with the country code; null for any other text. */
function phoneDigits(recipient: string): string | null {
  const number = toE164(/^[1-9]\d{6,14}$/.test(recipient) ? `+${recipient}` : recipient);
  return number?.slice(1) ?? null;
}

function contentOf({ recipient, text, whatsapp: approved }: OutgoingNotification): object {
  const envelope = { messaging_product: 'whatsapp', recipient_type: 'individual', to: recipient };
  if (!approved) {
    if (text.length > maxTextLength) {
      throw new ProviderError('refused', `WhatsApp takes texts of at most ${maxTextLength} characters.`);
    }
    return { ...envelope, type: 'text', text: { body: text, preview_url: false } };
  }
  const { name, language, parameters } = approved;
  const body = { type: 'body', parameters: parameters.map((value) => ({ type: 'text', text: value })) };
  const components = parameters.length > 0 ? { components: [body] } : {};
  return { ...envelope, type: 'template', template: { name, language: { code: language }, ...components } };
}

/** The failures by Meta error code; other codes mean `refused`. */
const failures: Record<number, ProviderFailure> = {
  0: 'unauthorized',
  1: 'deferred',
  2: 'deferred',
  3: 'unauthorized',
  4: 'rateLimited',
  10: 'unauthorized',
  // The phone number was deleted.
  33: 'unauthorized',
  190: 'unauthorized',
  // The account is blocked or locked.
  368: 'unauthorized',
  80007: 'rateLimited',
  130429: 'rateLimited',
  131000: 'deferred',
  131005: 'unauthorized',
  131016: 'deferred',
  131031: 'unauthorized',
  // The payment of the account has a problem.
  131042: 'unauthorized',
  131048: 'rateLimited',
  // Too many messages to this one recipient: other recipients are not concerned.
  131056: 'deferred',
  131057: 'deferred',
  133004: 'deferred',
  133010: 'unauthorized',
};

/** WhatsApp takes one message in six seconds for one recipient. */
const secondsBetweenMessagesOfPair = 6;

function errorOf(answer: EgressAnswer): ProviderError {
  const { error } = jsonOf(answer);
  const { code, message } = isRecord(error) ? error : {};
  if (typeof code !== 'number') {
    const failure = failureOfStatus(answer.status);
    return new ProviderError(failure, `WhatsApp: status ${answer.status}`, { retryAfter: retryAfterOf(answer) });
  }
  const isPermission = code >= 200 && code <= 299;
  const failure = isPermission ? 'unauthorized' : (failures[code] ?? 'refused');
  const retryAfter = code === 131056 ? boundedRetryAfter(secondsBetweenMessagesOfPair) : retryAfterOf(answer);
  return new ProviderError(failure, describe(code, message), { retryAfter });
}

function describe(code: number, message: unknown): string {
  if (code === 131047) {
    return 'WhatsApp (131047): the person has not written within 24 hours; name an approved template in the template.';
  }
  return `WhatsApp (${code}): ${typeof message === 'string' ? message : 'no reason given'}`;
}
