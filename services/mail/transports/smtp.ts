import { createTransport } from 'nodemailer';
import { minute, second } from '../../../lib/clock.ts';
import { DeliveryError, type DeliveryFailure, type Transport } from './transport.ts';

const connections = 5;

/**
 * Sends through the mail server at an `smtp://` URL (STARTTLS where the server offers it) or `smtps://` (TLS from the
 * start), over connections that are kept for the next mail.
 */
export function smtpTransport(url: string): Transport {
  const pool = createTransport({
    pool: true,
    url,
    maxConnections: connections,
    // Retries are left to the sender, which counts them.
    maxRequeues: 0,
    idleTimeout: 30 * second,
    connectionTimeout: 10 * second,
    greetingTimeout: 10 * second,
    dnsTimeout: 10 * second,
    socketTimeout: minute,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    keepsBody: false,
    async send({ messageId, to, ...mail }) {
      try {
        await pool.sendMail({
          ...mail,
          to: { name: '', address: to },
          messageId: `<${messageId}>`,
          // Suppresses automatic replies (RFC 3834 section 5).
          headers: { 'Auto-Submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
        });
      } catch (error) {
        throw new DeliveryError(failureOf(error), describe(error), error);
      }
    },
    close: () => pool.close(),
  };
}

type SmtpProblem = { code?: unknown; originalCode?: unknown; responseCode?: unknown; response?: unknown };

function problemOf(error: unknown): SmtpProblem {
  return typeof error === 'object' && error !== null ? error : {};
}

/**
 * Only a reply to the envelope or to the content refuses the mail; a reply to the login, say, is about this platform.
 */
function failureOf(error: unknown): DeliveryFailure {
  const { code, responseCode } = problemOf(error);
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (typeof responseCode !== 'number') return 'unreachable';
  // 503 and 421 report a failure of the SMTP session, not of the mail.
  if (isAboutMail && responseCode >= 500 && responseCode !== 503) return 'refused';
  return responseCode >= 400 && responseCode < 500 ? 'deferred' : 'unreachable';
}

const maxDescriptionLength = 200;

/** The server's reply without addresses and links, which it may quote; for a connection failure only the code. */
function describe(error: unknown): string {
  const { code, originalCode, response } = problemOf(error);
  if (typeof response !== 'string') return String(originalCode ?? code ?? 'UNKNOWN');
  const reply = response
    .replace(/\b[a-z][a-z+.-]*:\/\/\S+/gi, '(link)')
    .replace(/\S+@\S+/g, '(address)')
    .replace(/[\s\p{Cc}]+/gu, ' ');
  return `${String(code)}: ${reply}`.slice(0, maxDescriptionLength);
}
