import { type Html, html } from '../../../web/html.ts';

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
    language: 'Language of pages and emails',
    followsBrowser: 'As the browser asks',
  },
  notices: { saved: 'Profile saved.' },
};

/** The page of the user's organizations. */
export const organizations = {
  title: 'Organizations',
  none: 'You are not a member of any organization yet.',
  create: 'Create organization',
  name: 'Name',
  slug: 'Slug',
  slugHint: 'Names the organization in addresses, such as acme-bikes. It cannot be changed.',
  missing: {
    name: 'Enter a name.',
    slug: 'Enter a slug: 1 to 63 lower-case letters, digits and dashes.',
  },
  open: 'Open console',
  notices: {
    left: 'You left the organization.',
    deleted: 'Organization deleted. Its data is being erased.',
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

/** The page of the contacts. */
export const contacts = {
  title: 'Contacts',
  types: {
    email: 'Email',
    phone: 'Phone',
    chatapp: 'Chat',
    photoapp: 'Photos',
    socialapp: 'Social network',
    microblog: 'Microblog',
  },
  confirmed: (kind: string) => `${kind}, confirmed`,
  unconfirmed: (kind: string) => `${kind}, not confirmed yet`,
  isLogin: 'Login email',
  isPrimary: 'Primary',
  confirm: 'Confirm',
  logInWith: 'Use to log in',
  makePrimary: 'Make primary',
  addTitle: 'Add a contact',
  value: 'Email, number or user name',
  valueMissing: 'Enter an email, number or user name.',
  typeMissing: 'Choose a contact type.',
  actMissing: 'Choose what to do with the contact.',
  notices: {
    added: 'Contact added.',
    primary: 'Primary contact changed.',
    removed: 'Contact removed.',
    mailed: 'We sent a confirmation email to this address. Open the link in it.',
    login: 'Login email changed.',
  },
};

/** The page for changing the login email. */
export const loginEmail = {
  title: 'Change your login email',
  lead: (email: string) => html`You will log in with <strong>${email}</strong>. Enter your password to continue.`,
  submit: 'Change login email',
  back: 'Back to contacts',
  unconfirmed: 'Confirm this address before you use it to log in.',
};

/** The page of the addresses. */
export const addresses = {
  title: 'Addresses',
  none: 'No addresses yet.',
  types: { home: 'Home', work: 'Work', billing: 'Billing', shipping: 'Shipping' },
  change: 'Edit',
  changeTitle: 'Edit address',
  addTitle: 'Add an address',
  addInstead: 'Add a new address instead',
  addressLine: 'Street address',
  city: 'City',
  postalCode: 'Postal code',
  state: 'State or region',
  country: 'Country',
  chooseCountry: 'Choose…',
  missing: {
    addressLine: 'Enter a street address.',
    city: 'Enter a city.',
    country: 'Choose a country.',
  },
  notices: { saved: 'Address saved.', removed: 'Address removed.' },
};

/** The page of the sessions. */
export const sessions = {
  title: 'Sessions',
  lead: 'These browsers are logged in to your account. If you do not know one, end its session and change your password.',
  current: 'This browser',
  origin: (address: string, time: Html) => html`From ${address || 'an unknown address'}, logged in ${time}`,
  lastUsed: (time: Html) => html`Last used ${time}`,
  end: 'End session',
  nameOfEnd: (device: string, time: string) => `End session: ${device}, logged in ${time}`,
  onlyNewest: (count: string) => `Showing the ${count} newest sessions.`,
  endOthers: 'End all other sessions',
  confirmation: {
    question: 'End all other sessions?',
    consequence: 'This logs you out of all other browsers.',
    confirm: 'End all others',
  },
  notices: {
    ended: 'Session ended.',
    'others-ended': 'All other sessions ended.',
  },
};

/** The page of the applications that may act for the user. */
export const applications = {
  title: 'Applications',
  lead: 'These applications can access your account. An application whose access you remove has to ask you again.',
  none: 'No applications have access to your account.',
  usedSince: (organization: string, time: Html) => html`By ${organization}, part of this platform, used since ${time}`,
  allowed: (organization: string, time: Html) => html`By ${organization}, allowed ${time}`,
  scopes: 'It can:',
  withdraw: 'Remove access',
  notices: { withdrawn: 'Access removed.' },
};
