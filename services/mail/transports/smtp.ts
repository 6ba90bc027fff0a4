import { createTransport } from 'nodemailer';
import { minute, second } from '../../../lib/data/clock.ts';
import type { Secret } from '../../../lib/security/secret.ts';
import { DeliveryError, type Failure } from '../../../messaging/delivery/deliverer.ts';
import { composeMail } from './compose.ts';
import { connections, type Transport } from './transport.ts';

/**
 * The headers that a DKIM signature covers if present: those listed in RFC 6376 section 5.4.1, and both one-click
 * unsubscribe headers, which receivers ignore if unsigned (RFC 8058 section 4).
 */
const signedHeaders = [
  ...['From', 'Reply-To', 'Subject', 'Date', 'To', 'Message-ID', 'MIME-Version', 'Content-Type'],
  ...['Content-Transfer-Encoding', 'List-Unsubscribe', 'List-Unsubscribe-Post'],
];

export type Dkim = { domain: string; selector: string; key: Secret };

/**
 * Sends through the mail server at an `smtp://` URL (STARTTLS if offered) or `smtps://` URL (implicit TLS), over pooled
 * connections. `dkim` signs the mail.
 */
export function smtpTransport(url: string, dkim: Dkim | null = null): Transport {
  const pool = createTransport({
    pool: true,
    url,
    maxConnections: connections,
    // The queue retries, and counts attempts.
    maxRequeues: 0,
    // Exim's default limit per connection, the lowest of the common mail servers.
    maxMessages: 1000,
    idleTimeout: 30 * second,
    connectionTimeout: 10 * second,
    greetingTimeout: 10 * second,
    dnsTimeout: 10 * second,
    socketTimeout: minute,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(dkim && {
      dkim: {
        domainName: dkim.domain,
        keySelector: dkim.selector,
        privateKey: dkim.key.reveal(),
        headerFieldNames: signedHeaders.join(':'),
        cacheDir: false,
      },
    }),
  });
  return {
    keepsBody: false,
    async send(mail) {
      const composed = composeMail(mail);
      try {
        await pool.sendMail(composed);
      } catch (error) {
        throw new DeliveryError(failureOf(error), describe(error), { cause: error });
      }
    },
    close: () => pool.close(),
  };
}

type SmtpProblem = {
  code?: unknown;
  originalCode?: unknown;
  responseCode?: unknown;
  response?: unknown;
  command?: unknown;
  message?: unknown;
};

function problemOf(error: unknown): SmtpProblem {
  return typeof error === 'object' && error !== null ? error : {};
}

/**
 * Only a reply to the envelope or the content refuses the mail; a reply to the login, for example, concerns the
 * platform. A connection that ends without a reply may have ended after the mail was accepted.
 */
function failureOf(error: unknown): Failure {
  const { code, responseCode } = problemOf(error);
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (typeof responseCode !== 'number') return hasEndedLate(error) ? 'unknown' : 'unreachable';
  if (isAboutMail && isBounce(error)) return 'bounced';
  // 503 and 421 report a failure of the SMTP session, not of the mail.
  if (isAboutMail && responseCode >= 500 && responseCode !== 503) return 'refused';
  return responseCode >= 400 && responseCode < 500 ? 'deferred' : 'unreachable';
}

/**
 * The enhanced status codes of an address that does not exist or is disabled (RFC 3463, RFC 7505). A reply without such
 * a code may concern the sender or the text, so only this mail is refused.
 */
const bounceCodes = /^5\d\d[ -]5\.(?:1\.(?:1|2|3|6|10)|2\.1)\b/;

function isBounce(error: unknown): boolean {
  const { command, response } = problemOf(error);
  return command !== 'MAIL FROM' && typeof response === 'string' && bounceCodes.test(response);
}

const early = new Set<unknown>(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ETIMEDOUT']);

function hasEndedLate(error: unknown): boolean {
  const { code, originalCode, message } = problemOf(error);
  if (early.has(originalCode)) return false;
  if (code === 'ETIMEDOUT') return message === 'Timeout';
  return code === 'ECONNECTION' || code === 'ESOCKET';
}

const maxDescriptionLength = 200;

/** The server's reply without addresses and links, which it may quote; only the code for a connection failure. */
function describe(error: unknown): string {
  const { code, originalCode, response } = problemOf(error);
  if (typeof response !== 'string') return String(originalCode ?? code ?? 'UNKNOWN');
  const reply = response
    .replace(/\b[a-z][a-z+.-]*:\/\/\S+/gi, '(link)')
    .replace(/\S+@\S+/g, '(address)')
    .replace(/[\s\p{Cc}]+/gu, ' ');
  return `${String(code)}: ${reply}`.slice(0, maxDescriptionLength);
}
