import type { Transport } from './transport.ts';

/** The mailbox for development: no mail is sent; mails are read at /dev/mailbox. */
export function mailboxTransport(): Transport {
  return { keepsBody: true, send: () => Promise.resolve(), close: () => undefined };
}
