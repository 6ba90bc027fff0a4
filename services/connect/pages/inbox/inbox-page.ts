import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import type { Action } from '../../../../lib/contract/define-action.ts';
import { errorCode } from '../../../../lib/contract/errors.ts';
import { allows } from '../../../../lib/contract/permissions.ts';
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

/** A member of the organization, with the name that other members see. */
export type Person = { userId: string; name: string };

const maxMembers = 100;

/** The first hundred members of the organization. */
export async function membersOf({ ctx, orgId }: OrganizationVisit): Promise<Person[]> {
  const { organization } = await call(ctx, 'identity.organizations.describe', { body: { orgId } });
  if (!organization) return [];
  const query = { limit: String(maxMembers) };
  const { data } = await call(ctx, 'identity.members.list', { path: { slug: organization.slug }, query });
  return data.map(({ userId, displayName, email }) => ({ userId, name: displayName ?? email ?? userId }));
}

export type Agent = Person & { displayName: string | null; online: boolean };

type ListedAgent = CallOutput<'connect.agents.list'>['data'][number];

/** Reads all pages; the plan's seats limit the number of agents. */
async function allAgents({ ctx }: OrganizationVisit): Promise<ListedAgent[]> {
  const agents: ListedAgent[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: '100', ...(cursor !== undefined && { cursor }) };
    const page: CallOutput<'connect.agents.list'> = await call(ctx, 'connect.agents.list', { query });
    agents.push(...page.data);
    cursor = page.nextCursor;
  }
  return agents;
}

/** The agents of the organization. */
export async function agentsOf(visit: OrganizationVisit): Promise<Agent[]> {
  const [data, members] = await Promise.all([allAgents(visit), membersOf(visit)]);
  const names = new Map(members.map(({ userId, name }) => [userId, name]));
  return data.map(({ userId, displayName, online }) => {
    return { userId, displayName, online, name: displayName ?? names.get(userId) ?? userId };
  });
}

export const inboxPath = '/console/inbox';

const statuses = ['open', 'pending', 'closed', 'all'] as const;
const assignees = ['all', 'me', 'none'] as const;

/** The filters of the list, kept in the page's URL. */
type Filters = {
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
