import { type CallContext, call } from '../contract/context.ts';
import { apiError, isError } from '../contract/errors.ts';

/**
 * Whether the operator has turned mail on. A mail service that is unreachable counts as turned on: stored mails are sent
 * when it is back.
 */
export async function sendsMail(ctx: CallContext): Promise<boolean> {
  const { isOn } = await call(ctx, 'mail.system.status', { body: {} }).catch(() => ({ isOn: true }));
  return isOn;
}

/** Throws MAIL_DISABLED when the operator has turned mail off. Call it before work that is useless without a mail. */
export async function requireMail(ctx: CallContext): Promise<void> {
  if (!(await sendsMail(ctx))) throw apiError('MAIL_DISABLED');
}

/** Sends a mail that is only a notice; it is skipped when mail is turned off. */
export async function unlessMailDisabled(sending: Promise<unknown>): Promise<void> {
  try {
    await sending;
  } catch (error) {
    if (!isError(error, 'MAIL_DISABLED')) throw error;
  }
}
