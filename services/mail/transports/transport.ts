import type { SenderAddress } from '../sender/sender-address.ts';

/** The connections to the mail server, kept for the next mail. */
export const connections = 6;

export type Attachment = { fileName: string; type: string; bytes: Buffer };

/** A mail for a transport. */
export type OutgoingMail = {
  /** The message's id, and its Message-ID without angle brackets: the same at every attempt, so that a duplicate is recognised. */
  id: string;
  messageId: string;
  from: SenderAddress;
  replyTo: string | null;
  to: string;
  subject: string;
  html?: string;
  text?: string;
  attachments: Attachment[];
  /** The address of one-click unsubscribing; null for mail that is not marketing. */
  unsubscribeUrl: string | null;
  /** Marks an automatic message of the platform itself. */
  isAutomatic: boolean;
};

/** A transport of mail. */
export type Transport = {
  /** Whether a mail's text is kept after sending, for a person to read. */
  keepsBody: boolean;
  /** Resolves when the mail was accepted; throws a DeliveryError when it was not. */
  send: (mail: OutgoingMail) => Promise<void>;
  close: () => void;
};
