import type { PageAnswer } from '../../../../web/page.ts';
import { showUserPage, type UserPage } from '../../../../web/user-page.ts';

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

export type AccountPage = Omit<UserPage, 'navigation'> & { path: AccountPath };

/** Shows a page of the account, with the navigation, the notice or the refusal, and the page's content. */
export function showAccountPage({ path, ...rest }: AccountPage): PageAnswer {
  return showUserPage({ ...rest, navigation: { label: 'Account', links: pages, current: path } });
}
