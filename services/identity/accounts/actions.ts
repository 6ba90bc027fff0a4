import { sweepAttempts } from './attempts.ts';
import { beginRecovery } from './begin-recovery.ts';
import { changeLoginEmail } from './change-login-email.ts';
import { changePassword } from './change-password.ts';
import { checkRecovery } from './check-recovery.ts';
import { checkReturnTo } from './check-return-to.ts';
import { confirmContact, previewContactConfirmation } from './confirm-contact.ts';
import { confirmRegistration } from './confirm-registration.ts';
import { login } from './login.ts';
import { sweepMailedTokens } from './mailed-tokens.ts';
import { recover } from './recover.ts';
import { register } from './register.ts';
import { sendVerification } from './send-verification.ts';

export { accountMails } from './account-mails.ts';

export const accountActions = {
  'accounts.login': login,
  'accounts.register': register,
  'accounts.confirm-registration': confirmRegistration,
  'accounts.begin-recovery': beginRecovery,
  'accounts.check-recovery': checkRecovery,
  'accounts.recover': recover,
  'accounts.change-password': changePassword,
  'accounts.send-verification': sendVerification,
  'accounts.preview-contact-confirmation': previewContactConfirmation,
  'accounts.confirm-contact': confirmContact,
  'accounts.change-login-email': changeLoginEmail,
  'accounts.check-return-to': checkReturnTo,
};

/** Removes the mailed links and counted attempts that have expired; for the scheduled sweep. */
export async function sweepAccounts(signal?: AbortSignal): Promise<void> {
  await Promise.all([sweepMailedTokens(signal), sweepAttempts(signal)]);
}
