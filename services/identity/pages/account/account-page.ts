import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import type { UserVisit } from '../../../../web/define-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { renderUserPage, type UserPage } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';

/** The path of each page, and the name of its texts. */
const pages = [
  ['/account', 'profile'],
  ['/account/organizations', 'organizations'],
  ['/account/password', 'password'],
  ['/account/contacts', 'contacts'],
  ['/account/addresses', 'addresses'],
  ['/account/sessions', 'sessions'],
  ['/account/applications', 'applications'],
  ['/account/data', 'data'],
  ['/self-service/logout/browser', 'logout'],
] as const;

/** A user's own data, as the pages of the account show it. */
export type User = Extract<CallOutput<'identity.me.read'>, { type: 'user' }>;

/** Reads the user of a visit. */
export async function readUser({ ctx }: UserVisit): Promise<User> {
  return (await call(ctx, 'identity.me.read', {})) as User;
}

type AccountPath = (typeof pages)[number][0];

type AccountPage = Omit<UserPage, 'navigation'> & { path: AccountPath };

/** Shows a page of the account, with the navigation, the notice or the refusal, and the page's content. */
export function renderAccountPage({ path, ...rest }: AccountPage): PageAnswer {
  const t = texts();
  const links = pages.map(([href, name]) => [href, t[name].title] as const);
  return renderUserPage({ ...rest, navigation: { label: t.navigation.label, links, current: path } });
}
