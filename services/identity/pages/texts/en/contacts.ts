import { html } from '../../../../../web/html.ts';

/** The page of the contacts. */
export const contacts = {
  title: 'Contacts',
  types: {
    email: 'Email',
    phone: 'Telephone',
    chatapp: 'Chat',
    photoapp: 'Photos',
    socialapp: 'Social network',
    microblog: 'Microblog',
  },
  confirmed: (kind: string) => `${kind}, confirmed`,
  unconfirmed: (kind: string) => `${kind}, not confirmed yet`,
  isLogin: 'You log in with it',
  isPrimary: 'First choice',
  confirm: 'Confirm',
  logInWith: 'Log in with it',
  makePrimary: 'Make it the first choice',
  addTitle: 'Add a contact',
  value: 'Address, number or name',
  valueMissing: 'Type the address, number or name.',
  typeMissing: 'Choose what kind of contact it is.',
  actMissing: 'Choose what to do with the contact.',
  notices: {
    added: 'The contact is added.',
    primary: 'This contact is the first choice now.',
    removed: 'The contact is removed.',
    mailed: 'We have sent a mail there. Open the link in it.',
    login: 'You log in with this address from now on.',
  },
};

/** The page for changing the login email. */
export const loginEmail = {
  title: 'Change your login email',
  lead: (email: string) => html`You will log in with <strong>${email}</strong>. To go on, type your password.`,
  submit: 'Log in with this address',
  back: 'Back to your contacts',
  unconfirmed: 'Confirm this address before you log in with it.',
};

/** The page of the addresses. */
export const addresses = {
  title: 'Addresses',
  none: 'You have added no address yet.',
  types: { home: 'Home', work: 'Work', billing: 'Billing', shipping: 'Shipping' },
  change: 'Change',
  changeTitle: 'Change the address',
  addTitle: 'Add an address',
  addInstead: 'Add another instead',
  addressLine: 'Street and number',
  city: 'City',
  postalCode: 'Postal code',
  state: 'State or region',
  country: 'Country',
  chooseCountry: 'Choose…',
  missing: {
    addressLine: 'Type the street and number.',
    city: 'Type the city.',
    country: 'Choose the country.',
  },
  notices: { saved: 'The address is saved.', removed: 'The address is removed.' },
};
