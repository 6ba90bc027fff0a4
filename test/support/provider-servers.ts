import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { until } from './until.ts';

/*
 * Servers that speak the protocols of providers as those document them: which requests are valid, what is answered to
 * wrong ones, and how limits are told.
 */

export type Seen = { method: string; path: string; headers: IncomingHttpHeaders; body: string };
type Answer = { status: number; body?: unknown; headers?: Record<string, string> };
/** An answer, or what happens instead of one. */
type Reaction = Answer | 'drop' | 'acceptAndDrop' | 'hang';

export type ProviderServer = {
  url: string;
  /** What was asked, the oldest first. */
  asked: Seen[];
  /** What was accepted for delivery. */
  accepted: Record<string, unknown>[];
  /** What the next requests that send something get instead of the usual answer. */
  next: (...reactions: Reaction[]) => void;
  /** What all requests get instead, until it is null. */
  always: (reaction: Reaction | null) => void;
  /** Waits until so many were accepted. */
  untilAccepted: (count: number) => Promise<Record<string, unknown>[]>;
  close: () => Promise<void>;
};

type Protocol = {
  /** Whether a request sends something, rather than asks about the account. */
  isSending: (seen: Seen) => boolean;
  /** The documented answer; what it accepts is added to `accepted`. */
  answer: (seen: Seen, accepted: Record<string, unknown>[]) => Answer;
};

async function startServer({ isSending, answer }: Protocol): Promise<ProviderServer> {
  const asked: Seen[] = [];
  const accepted: Record<string, unknown>[] = [];
  const waiting: Reaction[] = [];
  let standing: Reaction | null = null;
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const seen = { method, path: url, headers, body: await textOf(request) };
    asked.push(seen);
    const reaction = standing ?? (isSending(seen) ? waiting.shift() : undefined);
    if (reaction === 'hang') return;
    if (reaction === 'drop') return void request.socket.destroy();
    const isReplaced = reaction !== undefined && reaction !== 'acceptAndDrop';
    const { status, body, headers: more } = isReplaced ? reaction : answer(seen, accepted);
    if (reaction === 'acceptAndDrop') return void request.socket.destroy();
    response.writeHead(status, { 'Content-Type': 'application/json', ...more });
    response.end(body === undefined ? '' : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    accepted,
    next: (...reactions) => void waiting.push(...reactions),
    always(reaction) {
      standing = reaction;
    },
    async untilAccepted(count) {
      await until(() => accepted.length >= count);
      return accepted;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

export const botToken = '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';
export const accessToken = 'EAAGm0PX4ZCpsBAKZCexampleexampleexample';
export const phoneNumberId = '106540352242922';
export const twilioAccount = `AC${'0123456789abcdef'.repeat(2)}`;
export const twilioToken = 'f2ca1bb6c7e907d06dafe4687e579fce';
/** The 24 bytes that Standard Webhooks asks for. */
export const webhookSecret = `whsec_${randomBytes(24).toString('base64')}`;

const telegramError = (error_code: number, description: string, parameters?: object): Answer => ({
  status: error_code,
  body: { ok: false, error_code, description, ...(parameters && { parameters }) },
});
export const telegramErrors = {
  blocked: telegramError(403, 'Forbidden: bot was blocked by the user'),
  noChat: telegramError(400, 'Bad Request: chat not found'),
  tooMany: (seconds: number) =>
    telegramError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds }),
  unauthorized: telegramError(401, 'Unauthorized'),
  internal: telegramError(500, 'Internal Server Error'),
};

/** https://core.telegram.org/bots/api#making-requests */
export function startTelegramServer(): Promise<ProviderServer> {
  return startServer({
    isSending: ({ path }) => path.endsWith('/sendMessage'),
    answer({ path, body }, accepted) {
      const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
      if (!token || !/^\d+:[\w-]+$/.test(token)) return telegramError(404, 'Not Found');
      if (token !== botToken) return telegramErrors.unauthorized;
      if (method === 'getMe') return { status: 200, body: { ok: true, result: { id: 123456789, is_bot: true } } };
      if (method !== 'sendMessage') return telegramError(404, 'Not Found: method not found');
      const message = JSON.parse(body) as { chat_id?: string; text?: string };
      if (!message.text) return telegramError(400, 'Bad Request: message text is empty');
      if (message.text.length > 4096) return telegramError(400, 'Bad Request: message is too long');
      if (!message.chat_id) return telegramError(400, 'Bad Request: chat_id is empty');
      accepted.push(message);
      return { status: 200, body: { ok: true, result: { message_id: accepted.length, text: message.text } } };
    },
  });
}

const graphError = (status: number, code: number, message: string, headers: Record<string, string> = {}): Answer => ({
  status,
  body: { error: { message, type: 'OAuthException', code, fbtrace_id: 'Az8or2yhqkZfEZ' } },
  headers,
});
export const whatsappErrors = {
  outsideWindow: graphError(400, 131047, '(#131047) Re-engagement message'),
  throughput: graphError(429, 130429, '(#130429) Rate limit hit'),
  pair: graphError(400, 131056, '(#131056) (Business Account, Consumer Account) pair rate limit hit'),
  expired: graphError(401, 190, 'Error validating access token: Session has expired'),
  noTemplate: graphError(404, 132001, '(#132001) Template name does not exist in the translation'),
  undeliverable: graphError(400, 131026, '(#131026) Message undeliverable'),
  overloaded: graphError(500, 131016, '(#131016) Service unavailable'),
};

/** https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages */
export function startWhatsAppServer(): Promise<ProviderServer> {
  return startServer({
    isSending: ({ path }) => path.endsWith('/messages'),
    answer({ method, path, headers, body }, accepted) {
      if (headers.authorization !== `Bearer ${accessToken}`) return whatsappErrors.expired;
      const isKnown = path.startsWith(`/${phoneNumberId}`);
      if (!isKnown) return graphError(400, 100, 'Unsupported get request. Object does not exist');
      if (method === 'GET')
        return { status: 200, body: { display_phone_number: '+1 631-555-1111', id: phoneNumberId } };
      const message = JSON.parse(body) as Record<string, unknown>;
      const { messaging_product, to, type } = message;
      if (messaging_product !== 'whatsapp' || typeof to !== 'string' || !message[String(type)]) {
        return graphError(400, 100, '(#100) Invalid parameter');
      }
      accepted.push(message);
      const id = `wamid.${accepted.length}`;
      return { status: 200, body: { messaging_product, contacts: [{ input: to, wa_id: to }], messages: [{ id }] } };
    },
  });
}

const twilioError = (status: number, code: number, message: string, headers: Record<string, string> = {}): Answer => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
  headers,
});
export const twilioErrors = {
  tooMany: (seconds: number) => twilioError(429, 20429, 'Too Many Requests', { 'Retry-After': String(seconds) }),
  unsubscribed: twilioError(400, 21610, 'Attempt to send to unsubscribed recipient'),
  invalidTo: twilioError(400, 21211, "Invalid 'To' Phone Number"),
  authenticate: twilioError(401, 20003, 'Authenticate'),
  notMine: twilioError(400, 21606, "The 'From' phone number is not a valid, SMS-capable number for your account."),
  outsideWindow: twilioError(400, 63016, 'Failed to send freeform message because you are outside the allowed window.'),
  unavailable: { status: 503, body: { message: 'Service unavailable' }, headers: { 'Retry-After': '2' } },
};

/** https://www.twilio.com/docs/messaging/api/message-resource */
export function startTwilioServer(status = 'active'): Promise<ProviderServer> {
  const expected = `Basic ${Buffer.from(`${twilioAccount}:${twilioToken}`).toString('base64')}`;
  return startServer({
    isSending: ({ method }) => method === 'POST',
    answer({ method, path, headers, body }, accepted) {
      if (headers.authorization !== expected) return twilioErrors.authenticate;
      const account = `/2010-04-01/Accounts/${twilioAccount}`;
      if (method === 'GET' && path === `${account}.json`) return { status: 200, body: { sid: twilioAccount, status } };
      if (method !== 'POST' || path !== `${account}/Messages.json`) return twilioError(404, 20404, 'Not found');
      const { To, Body, From, MessagingServiceSid } = Object.fromEntries(new URLSearchParams(body));
      if (!To || !/^\+\d{8,15}$/.test(To)) return twilioErrors.invalidTo;
      if (!Body) return twilioError(400, 21602, 'Message body is required.');
      if (!From && !MessagingServiceSid) return twilioError(400, 21603, "A 'From' phone number is required.");
      accepted.push({ To, Body, ...(From ? { From } : { MessagingServiceSid }) });
      return { status: 201, body: { sid: `SM${String(accepted.length).padStart(32, '0')}`, status: 'queued' } };
    },
  });
}

/** A receiver that verifies each request with the library of Standard Webhooks, and refuses what that refuses. */
export function startWebhookReceiver(secret = webhookSecret): Promise<ProviderServer> {
  const verifier = new Webhook(secret);
  return startServer({
    isSending: ({ body }) => body.includes('notification.send'),
    answer({ headers, body }, accepted) {
      try {
        const content = verifier.verify(body, headers as Record<string, string>) as Record<string, unknown>;
        if (content.type === 'notification.send') accepted.push({ ...content, id: headers['webhook-id'] });
        return { status: 204 };
      } catch (error) {
        return { status: 401, body: { message: String(error) } };
      }
    },
  });
}
