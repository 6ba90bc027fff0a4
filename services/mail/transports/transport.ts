import type { SenderAddress } from '../sender-address.ts';

/** A mail as it is handed over. */
export type OutgoingMail = {
  /** Without angle brackets; the same at every attempt, so that a repetition is recognised. */
  messageId: string;
  from: SenderAddress;
  to: string;
  subject: string;
  html: string;
  text: string;
};

/** A way for mail to leave, or not to leave, the platform. */
export type Transport = {
  /** Whether a mail's text is kept when it is sent, for a person to read. */
  keepsBody: boolean;
  /** Resolves when the mail was accepted; throws a {@link DeliveryError} when it was not. */
  send: (mail: OutgoingMail) => Promise<void>;
  close: () => void;
};

/**
 * `refused`: for good, as it stands. `deferred`: the other side asks to try again later. `unreachable`: it was not got
 * through to, or something else than the mail is at fault.
 */
export type DeliveryFailure = 'refused' | 'deferred' | 'unreachable';

/** Why a mail was not accepted; the message is for operators and holds nothing of the mail's text. */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  readonly failure: DeliveryFailure;

  constructor(failure: DeliveryFailure, message: string, cause: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}
