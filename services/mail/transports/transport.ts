import type { SenderAddress } from '../sender-address.ts';

/** A mail for a transport. */
export type OutgoingMail = {
  /** Without angle brackets; the same at every attempt, so that a duplicate is recognised. */
  messageId: string;
  from: SenderAddress;
  to: string;
  subject: string;
  html: string;
  text: string;
};

/** A transport of mail. */
export type Transport = {
  /** Whether a mail's text is kept after sending, for a person to read. */
  keepsBody: boolean;
  /** Resolves when the mail was accepted; throws a {@link DeliveryError} when it was not. */
  send: (mail: OutgoingMail) => Promise<void>;
  close: () => void;
};

/**
 * `refused`: permanently. `deferred`: the server asks for a retry later. `unreachable`: no connection, or a failure
 * that is not about the mail.
 */
export type DeliveryFailure = 'refused' | 'deferred' | 'unreachable';

/** Why a mail was not accepted; the message is for operators and contains nothing of the mail's text. */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  readonly failure: DeliveryFailure;

  constructor(failure: DeliveryFailure, message: string, cause: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}
