import type { Transport } from './transport.ts';

/** The mailbox for development: nothing leaves, and what was sent is read at /dev/mailbox. */
export function mailboxTransport(): Transport {
  return { keepsBody: true, send: () => Promise.resolve(), close: () => undefined };
}
