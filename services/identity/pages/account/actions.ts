import { addressesPages } from './addresses.ts';
import { applicationsPages } from './applications.ts';
import { contactsPages } from './contacts.ts';
import { dataPages } from './data.ts';
import { loginEmailPages } from './login-email.ts';
import { passwordPages } from './password.ts';
import { profilePages } from './profile.ts';
import { sessionsPages } from './sessions.ts';

/** The account pages. */
export const accountPages = {
  ...profilePages,
  ...passwordPages,
  ...contactsPages,
  ...loginEmailPages,
  ...addressesPages,
  ...sessionsPages,
  ...applicationsPages,
  ...dataPages,
};
