import { html } from '../../../../../web/html.ts';

/** The navigation between the pages of the account, whose links are the titles of the pages. */
export const navigation = { label: 'Account' };

/** The page of the profile. */
export const profile = {
  title: 'Profile',
  loginEmail: (email: string | null) => html`You log in with <strong>${email}</strong>.`,
  fields: {
    middleName: 'Middle name',
    preferredName: 'How others call you',
    displayName: 'Name that others see',
    birthDate: 'Date of birth',
    gender: 'Gender',
    avatarUrl: 'Address of a picture',
  },
  organizations: 'Organizations',
  noOrganizations: 'You are not a member of an organization yet.',
  billing: 'Billing',
  notices: {
    saved: 'Your profile is saved.',
    accepted: 'Welcome! You are a member now.',
  },
};

/** The page for changing the password. */
export const password = {
  title: 'Password',
  lead: 'When you change it, all other browsers that are logged in are logged out.',
  newPasswordMissing: 'Choose a new password.',
  notices: { changed: 'Your password is changed. All other browsers are logged out.' },
};

/** The page for exporting the data and deleting the account. */
export const data = {
  title: 'Your data',
  exportTitle: 'Take it along',
  exportLead:
    'A file with all that is stored about you: your profile, contacts, addresses, memberships, sessions and what you did.',
  download: 'Download the file',
  deleteTitle: 'Delete your account',
  deleteLead: html`You are logged out everywhere, and your profile, contacts, addresses and memberships are deleted. Nobody can undo
this. What your organizations store stays theirs.`,
  email: 'Your email address, to confirm',
  emailHint: (email: string | null) => html`Type <strong>${email}</strong>.`,
  emailWrong: 'This is not the address you log in with, so nothing was deleted.',
  submit: 'Delete my account',
};
