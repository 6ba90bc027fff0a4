import { z } from 'zod';
import { type EgressAnswer, requestTrusted } from '../../../lib/net/http-exchange.ts';
import {
  ask,
  boundedRetryAfter,
  defineProvider,
  failureOfStatus,
  isRecord,
  jsonOf,
  ProviderError,
  type ProviderFailure,
} from './provider.ts';

const maxTextLength = 4096;

/** A bot of Telegram (https://core.telegram.org/bots/api). Recipients are chats: an id, or the @name of a channel. */
export function telegram(url: string) {
  /** The token is in the path, so the URL is never part of a message. */
  async function callMethod(botToken: string, method: string, parameters: object): Promise<Record<string, unknown>> {
    const answer = await ask('Telegram', () =>
      requestTrusted({
        method: 'POST',
        url: `${url}/bot${botToken}/${method}`,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(parameters),
      }),
    );
    const { ok, result } = jsonOf(answer);
    if (answer.status === 200 && ok === true) return isRecord(result) ? result : {};
    throw errorOf(answer);
  }

  return defineProvider({
    channels: ['chatapp'],
    credentials: z.strictObject({
      botToken: z
        .string()
        .regex(/^\d{5,16}:[A-Za-z0-9_-]{30,64}$/, 'Must be a bot token of BotFather.')
        .describe('The token of the bot, from BotFather.'),
    }),
    perSecond: 25,
    addressOf: (recipient) => (/^(?:-?\d{1,19}|@[A-Za-z]\w{3,31})$/.test(recipient) ? recipient : null),
    async verify({ botToken }) {
      await callMethod(botToken, 'getMe', {});
    },
    async send({ recipient, text }, { botToken }) {
      if (text.length > maxTextLength) {
        throw new ProviderError('refused', `Telegram takes texts of at most ${maxTextLength} characters.`);
      }
      const { message_id: id } = await callMethod(botToken, 'sendMessage', { chat_id: recipient, text });
      return { providerMessageId: typeof id === 'number' ? String(id) : null };
    },
  });
}

function errorOf(answer: EgressAnswer): ProviderError {
  const { error_code: code, description, parameters } = jsonOf(answer);
  const status = typeof code === 'number' ? code : answer.status;
  const seconds = isRecord(parameters) ? parameters.retry_after : undefined;
  const retryAfter = typeof seconds === 'number' ? boundedRetryAfter(seconds) : null;
  const words = typeof description === 'string' ? description : `status ${answer.status}`;
  return new ProviderError(failureOf(status), `Telegram: ${words}`, { retryAfter });
}

/** An unknown token is 401, and one that Telegram does not take for a token is 404. */
function failureOf(status: number): ProviderFailure {
  return status === 404 ? 'unauthorized' : failureOfStatus(status);
}
