import { apiError } from '../../../../lib/contract/errors.ts';
import { type UserVisit, userPage } from '../../../../web/define-page.ts';
import type { AreaKey } from '../../../../web/navigation.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { consolePath, type Organization, readShell } from '../../../../web/shell.ts';

/** Pages that had the organization in their query before they were below its slug. Mails and API answers link them. */
const formerPages = { billing: 'usage', inbox: 'inbox', connect: 'websites' } as const satisfies Record<
  string,
  AreaKey
>;

/** The addresses of the console without an organization, which lead to the one that was used last. */
export const consoleIndexPages = {
  'pages.console.index': userPage({
    rest: 'GET /console',
    summary: 'Go to the console of the organization that was used last',
    handler: (visit) => redirectToArea(visit, 'overview'),
  }),
  'pages.console.billing': formerPage('billing'),
  'pages.console.inbox': formerPage('inbox'),
  'pages.console.connect': formerPage('connect'),
  'pages.console.conversation': userPage({
    rest: 'GET /console/inbox/:conversationId',
    summary: 'Go to a conversation, by its former address',
    handler: (visit) => redirectToArea(visit, 'inbox', visit.path.conversationId ?? ''),
  }),
};

function formerPage(name: keyof typeof formerPages) {
  return userPage({
    rest: `GET /console/${name}`,
    summary: `Go to the page that was at /console/${name}`,
    handler: (visit) => redirectToArea(visit, formerPages[name]),
  });
}

/** A user without an organization creates one first. */
async function redirectToArea(visit: UserVisit, area: AreaKey, ...rest: string[]): Promise<PageAnswer> {
  const { orgId, ...query } = visit.query;
  const organization = await findLinkedOrganization(visit, orgId);
  if (!organization) return redirectTo('/account/organizations');
  const single = Object.entries(query).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  const parameters = String(new URLSearchParams(single));
  const path = consolePath(organization.slug, area, ...rest);
  return redirectTo(parameters === '' ? path : `${path}?${parameters}`);
}

/** @throws NOT_FOUND when the query names an organization that the user does not belong to. */
async function findLinkedOrganization(
  visit: UserVisit,
  orgId: string | string[] | undefined,
): Promise<Organization | null> {
  const { organizations, organization } = await readShell(visit);
  if (orgId === undefined || orgId === '') return organization;
  const linked = organizations.find(({ id }) => id === orgId);
  if (!linked) throw apiError('NOT_FOUND');
  return linked;
}
