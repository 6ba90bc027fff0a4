import { data, navigation, password, profile } from './en/account.ts';
import { buttons, fields, gallery, nameOfButton, roles } from './en/common.ts';
import { addresses, contacts, loginEmail } from './en/contacts.ts';
import { leave, login, logout, recovery } from './en/login.ts';
import { confirmation, contactConfirmation, linkExpired, mailed } from './en/mail.ts';
import { invitations, registration } from './en/registration.ts';
import { applications, sessions } from './en/sessions.ts';

/** The English texts of identity's pages. */
export const en = {
  addresses,
  applications,
  buttons,
  confirmation,
  contactConfirmation,
  contacts,
  data,
  fields,
  gallery,
  invitations,
  leave,
  linkExpired,
  login,
  loginEmail,
  logout,
  mailed,
  nameOfButton,
  navigation,
  password,
  profile,
  recovery,
  registration,
  roles,
  sessions,
};
