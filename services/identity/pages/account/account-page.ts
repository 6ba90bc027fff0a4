import type { UserVisit } from '../../../../web/define-page.ts';
import type { AccountKey } from '../../../../web/navigation.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { type Me, readMe, shellOf } from '../../../../web/shell.ts';
import { renderUserPage, type UserPage } from '../../../../web/user-page.ts';

type AccountPage = Omit<UserPage, 'frame'> & {
  page: AccountKey;
  /** The user, where the page has read them. */
  me?: Me;
};

/** Renders a page of the account, in the frame of the organization that was used last. */
export async function renderAccountPage(visit: UserVisit, { page, me, ...rest }: AccountPage): Promise<PageAnswer> {
  const shell = shellOf(visit, me ?? (await readMe(visit)));
  return renderUserPage({ ...rest, frame: { shell, place: { account: page } } });
}
