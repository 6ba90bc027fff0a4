import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import type { Action } from '../../../../lib/contract/define-action.ts';
import { errorCode } from '../../../../lib/contract/errors.ts';
import { allows } from '../../../../lib/contract/permissions.ts';
import type { Refusal } from '../../../../web/attempt.ts';
import { flowField } from '../../../../web/flow.ts';
import { html } from '../../../../web/html.ts';
import { readAllPages } from '../../../../web/list-query.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { renderEmpty } from '../../../../web/table.ts';
import { openUserFlow } from '../../../../web/user-page.ts';
import { unnamed } from '../../visitors/visitors.ts';
import { texts } from '../texts.ts';

/** A member of the organization, with the name that other members see. */
export type Person = { userId: string; name: string };

const maxMembers = 100;

/** The first hundred members of the organization. */
export async function membersOf({ ctx, organization }: OrganizationVisit): Promise<Person[]> {
  const query = { limit: String(maxMembers) };
  const { data } = await call(ctx, 'identity.members.list', { path: { slug: organization.slug }, query });
  return data.map(({ userId, displayName, email }) => ({ userId, name: displayName ?? email ?? userId }));
}

export type SavedReply = CallOutput<'connect.replies.list'>['data'][number];

/** The saved replies of the organization, by name. */
export const repliesOf = ({ ctx }: OrganizationVisit): Promise<SavedReply[]> =>
  readAllPages((query) => call(ctx, 'connect.replies.list', { query }));

export type Agent = Person & { displayName: string | null; online: boolean };

/** The agents of the organization. */
export async function agentsOf(visit: OrganizationVisit): Promise<Agent[]> {
  const [data, members] = await Promise.all([
    readAllPages((query) => call(visit.ctx, 'connect.agents.list', { query })),
    membersOf(visit),
  ]);
  const names = new Map(members.map(({ userId, name }) => [userId, name]));
  return data.map(({ userId, displayName, online }) => {
    return { userId, displayName, online, name: displayName ?? names.get(userId) ?? userId };
  });
}

/** The name of a visitor for people. */
export function nameOfVisitor({ customerName }: { customerName: string }): string {
  return customerName === unnamed ? texts().inbox.unnamed : customerName;
}

/** The kind of the forms' tokens. */
export const inboxForm = 'inbox';

const statuses = ['open', 'pending', 'closed', 'all'] as const;
const assignees = ['all', 'me', 'none'] as const;

/** The filters of the list, kept in the page's URL. */
type Filters = {
  status: (typeof statuses)[number];
  assignee: (typeof assignees)[number];
  /** Empty: all websites. */
  siteId: string;
  /** Empty: no search. */
  q: string;
};

/** A visit of a user who may read an organization's inbox. */
export type InboxVisit = OrganizationVisit & { filters: Filters };

type Shape = Omit<Parameters<typeof organizationPage>[1], 'handler'> & {
  handler: (visit: InboxVisit) => Promise<PageAnswer>;
};

/** Creates a page of the inbox. Users who are not agents get a page that explains how to become one. */
export function inboxPage({ handler, ...page }: Shape): Action {
  return organizationPage('inbox', {
    ...page,
    async handler(visit) {
      try {
        return await handler({ ...visit, filters: filtersOf(visit.query) });
      } catch (error) {
        if (errorCode(error) === 'AGENT_REQUIRED') return renderNoAgent(visit);
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
  form: 'messages' | 'change' | 'read' | null = null,
): string {
  const { status, assignee, siteId, q } = visit.filters;
  const rest = [conversationId, form].filter((part) => part !== null);
  return pathOf(visit, 'inbox', rest, {
    ...(status !== 'open' && { status }),
    ...(assignee !== 'all' && { assignee }),
    ...(siteId !== '' && { siteId }),
    ...(q !== '' && { q }),
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
    q: typeof query.q === 'string' ? query.q.trim() : '',
  };
}

/** The page of a member who is not an agent. A member who may add agents becomes one here. */
export function renderNoAgent(visit: OrganizationVisit, refusal?: Refusal): PageAnswer {
  const { title, noAgent } = texts().inbox;
  const mayAdd = allows(visit.scopes, 'connect.settings.write');
  return renderOrganizationPage(visit, {
    title,
    refusal,
    body: renderEmpty({
      icon: 'inbox',
      title: noAgent.title,
      words: mayAdd ? `${noAgent.words} ${noAgent.seat}` : `${noAgent.words} ${noAgent.ask}`,
      ...(mayAdd && {
        acts: html`<form method="post" action="${pathOf(visit, 'inbox', ['join'])}">${flowField(openUserFlow(visit, inboxForm))}<button class="btn primary">${noAgent.join}</button></form>
<a class="btn" href="${pathOf(visit, 'websites')}#agents">${noAgent.manage}</a>`,
      }),
    }),
  });
}
