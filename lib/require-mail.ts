import type { Context } from 'moleculer';
import { call } from './calls.ts';
import { fail, isError } from './errors.ts';

/**
 * Throws MAIL_DISABLED where the operator turned mail off, before anything is done that is of no use without a mail. A
 * mail service that cannot be asked counts as turned on: what is stored now is mailed when it is back.
 */
export async function requireMail(ctx: Pick<Context, 'call'>): Promise<void> {
  const { isOn } = await call(ctx, 'mail.system.status', { body: {} }).catch(() => ({ isOn: true }));
  if (!isOn) throw fail('MAIL_DISABLED');
}

/** Sends a mail that only tells of what is done; where mail is turned off there is nothing to send. */
export async function unlessMailDisabled(sending: Promise<unknown>): Promise<void> {
  try {
    await sending;
  } catch (error) {
    if (!isError(error, 'MAIL_DISABLED')) throw error;
  }
}
