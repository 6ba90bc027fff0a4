import { html } from '../../../../../web/html.ts';

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
