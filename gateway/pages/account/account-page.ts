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

/** Makes a route of what answers a user; everybody else logs in first and comes back to the page `path`. */
export function accountPage(path: AccountPath, answer: (visit: UserVisit) => Promise<void>): Handler {
  return userPage(() => path, answer);
}

export type AccountPage = Omit<UserPage, 'navigation'> & { path: AccountPath };

/** Answers with a page of the account: the links to the others, what was done or refused, and the page's own. */
export function sendAccountPage(visit: UserVisit, { path, ...rest }: AccountPage): void {
  sendUserPage(visit, { ...rest, navigation: { label: 'Account', links: pages, current: path } });
}
