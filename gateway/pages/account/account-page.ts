import { type Handler, sendUserPage, type UserPage, type UserVisit, userPage } from '../user-page.ts';

const pages = [
  ['/account', 'Profile'],
  ['/account/password', 'Password'],
  ['/account/contacts', 'Contacts'],
  ['/account/addresses', 'Addresses'],
  ['/account/sessions', 'Sessions'],
  ['/account/applications', 'Applications'],
  ['/account/data', 'Your data'],
  ['/self-service/logout/browser', 'Log out'],
] as const;

export type AccountPath = (typeof pages)[number][0];

/** A route for users. Other visitors log in first and return to the page `path`. */
export function accountPage(path: AccountPath, answer: (visit: UserVisit) => Promise<void>): Handler {
  return userPage(() => path, answer);
}

export type AccountPage = Omit<UserPage, 'navigation'> & { path: AccountPath };

/** Sends a page of the account, with the navigation, the notice or the refusal, and the page's content. */
export function sendAccountPage(visit: UserVisit, { path, ...rest }: AccountPage): void {
  sendUserPage(visit, { ...rest, navigation: { label: 'Account', links: pages, current: path } });
}
