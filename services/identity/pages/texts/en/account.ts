import { html } from '../../../../../web/html.ts';

/** The navigation between the pages of the account, whose links are the titles of the pages. */
export const navigation = { label: 'Account' };

/** The page of the profile. */
export const profile = {
  title: 'Profile',
  loginEmail: (email: string | null) => html`You log in with <strong>${email}</strong>.`,
  fields: {
    middleName: 'Middle name',
    preferredName: 'Preferred name',
    displayName: 'Display name',
    birthDate: 'Date of birth',
    gender: 'Gender',
    avatarUrl: 'Profile picture URL',
  },
  organizations: 'Organizations',
  noOrganizations: 'You are not a member of any organization yet.',
  billing: 'Billing',
  notices: {
    saved: 'Profile saved.',
    accepted: 'Welcome! You are now a member.',
  },
};

/** The page for changing the password. */
export const password = {
  title: 'Password',
  lead: 'Changing your password logs you out of all other browsers.',
  newPasswordMissing: 'Enter a new password.',
  notices: { changed: 'Password changed. All other browsers are logged out.' },
};

/** The page for exporting the data and deleting the account. */
export const data = {
  title: 'Your data',
  exportTitle: 'Export your data',
  exportLead:
    'Download everything that is stored about you: your profile, contacts, addresses, memberships, sessions and activity.',
  download: 'Download',
  deleteTitle: 'Delete your account',
  deleteLead: html`This logs you out everywhere and deletes your profile, contacts, addresses and memberships. This cannot be undone.
Your organizations keep their data.`,
  email: 'Your email address',
  emailHint: (email: string | null) => html`Enter <strong>${email}</strong> to confirm.`,
  emailWrong: 'This is not your login email. Your account was not deleted.',
  submit: 'Delete account',
};
