import type { SenderAddress } from '../../../lib/net/sender-address.ts';

/** The size of the connection pool to the mail server. */
export const connections = 6;

export type Attachment = { fileName: string; type: string; bytes: Buffer };

/** A mail for a transport. */
export type OutgoingMail = {
  /**
   * The message's id and its Message-ID without angle brackets; equal for every attempt, so that receivers can detect
   * duplicates.
   */
  id: string;
  messageId: string;
  from: SenderAddress;
  replyTo: string | null;
  to: string;
  subject: string;
  html?: string;
  text?: string;
  attachments: Attachment[];
  /** The URL of one-click unsubscribing; null for mail that is not marketing. */
  unsubscribeUrl: string | null;
  /** Marks an automatic message of the platform itself. */
  isAutomatic: boolean;
};

/** A transport of mail. */
export type Transport = {
  /** Whether the text is kept after sending, for a person to read. */
  keepsBody: boolean;
  /** Resolves when the mail was accepted; otherwise throws a DeliveryError. */
  send: (mail: OutgoingMail) => Promise<void>;
  close: () => void;
};
