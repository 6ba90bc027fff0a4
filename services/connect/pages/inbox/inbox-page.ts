import type { Action } from '../../../../lib/action.ts';
import { errorCode } from '../../../../lib/errors.ts';
import { allows } from '../../../../lib/permissions.ts';
import { html } from '../../../../web/html.ts';
import {
  type Area,
  callAsMember,
  consoleNavigation,
  type OrganizationVisit,
  organizationPage,
  switcherOf,
  withOrganization,
} from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { renderUserPage } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { websitesPath } from '../websites/websites-page.ts';

export const inboxPath = '/console/inbox';

const statuses = ['open', 'pending', 'closed', 'all'] as const;
const assignees = ['all', 'me', 'none'] as const;

/** The filters of the list, kept in the page's URL. */
export type Filters = {
  status: (typeof statuses)[number];
  assignee: (typeof assignees)[number];
  /** Empty: all websites. */
  siteId: string;
};

/** A visit of a user who may read an organization's inbox. */
export type InboxVisit = OrganizationVisit & { filters: Filters };

type Shape = Omit<Parameters<typeof organizationPage>[1], 'handler'> & {
  handler: (visit: InboxVisit) => Promise<PageAnswer>;
};

export const inboxArea: Area = { path: inboxPath, permission: 'connect.read', texts: () => texts().inbox };

/** Creates a page of the inbox. Users who are not agents get a page that explains how to become one. */
export function inboxPage({ handler, ...page }: Shape): Action {
  return organizationPage(inboxArea, {
    ...page,
    async handler(visit) {
      callAsMember(visit);
      try {
        return await handler({ ...visit, filters: filtersOf(visit.query) });
      } catch (error) {
        if (errorCode(error) === 'AGENT_REQUIRED') return await renderNoAgent(visit);
        throw error;
      }
    },
  });
}

/** The URL of the list, of a conversation or of one of its forms, with the same filters. */
export function inboxHref(
  visit: InboxVisit,
  conversationId: string | null,
  more: Record<string, string> = {},
  form: '' | '/messages' | '/change' | '/read' = '',
): string {
  const { status, assignee, siteId } = visit.filters;
  const path = conversationId === null ? inboxPath : `${inboxPath}/${encodeURIComponent(conversationId)}${form}`;
  return withOrganization(path, visit.orgId, {
    ...(status !== 'open' && { status }),
    ...(assignee !== 'all' && { assignee }),
    ...(siteId !== '' && { siteId }),
    ...more,
  });
}

function filtersOf(query: Readonly<Record<string, string | string[]>>): Filters {
  const optionIn = <T extends string>(name: string, options: readonly T[], usual: T): T =>
    options.find((option) => option === query[name]) ?? usual;
  return {
    status: optionIn('status', statuses, 'open'),
    assignee: optionIn('assignee', assignees, 'all'),
    siteId: typeof query.siteId === 'string' ? query.siteId : '',
  };
}

async function renderNoAgent(visit: OrganizationVisit): Promise<PageAnswer> {
  const { title, noAgent } = texts().inbox;
  const link = html`<a href="${withOrganization(websitesPath, visit.orgId)}#agents">${noAgent.link}</a>`;
  const navigation = consoleNavigation(inboxArea, visit.orgId);
  return renderUserPage({
    title,
    navigation: { ...navigation, switcher: await switcherOf(inboxArea, visit) },
    body: html`<p>${noAgent.words}</p>
<p>${allows(visit.scopes, 'connect.settings.write') ? noAgent.add(link) : noAgent.ask}</p>`,
  });
}
