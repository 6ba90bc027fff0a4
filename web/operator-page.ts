import { type CallOutput, call } from '../lib/contract/context.ts';
import type { Action } from '../lib/contract/define-action.ts';
import { apiError } from '../lib/contract/errors.ts';
import { addressOfChoice } from './columns.ts';
import { renderCopyable } from './copy.ts';
import { type UserVisit, userPage } from './define-page.ts';
import { withQuery } from './filters.ts';
import { type Html, html } from './html.ts';
import { type OperatorArea, operatorAreas } from './navigation.ts';
import { type PageAnswer, redirectTo } from './page.ts';
import { type Crumbs, readShell, type Shell } from './shell.ts';
import { renderAvatar, renderBanner, renderState, renderTabs } from './states.ts';
import { texts } from './texts.ts';
import { renderDay } from './time.ts';
import { renderUserPage, type UserPage } from './user-page.ts';

/** A visit of an operator. Calls with `ctx` are made in the operator's session. */
export type OperatorVisit = UserVisit & { shell: Shell; area: OperatorArea };

type Shape = Omit<Parameters<typeof userPage>[0], 'handler' | 'rest'> & {
  /** The method, and the path below the area if it is not the area's first page: `GET`, `POST /:orgId/trust`. */
  rest: `${'GET' | 'POST'}${'' | ` /${string}`}`;
  handler: (visit: OperatorVisit) => Promise<PageAnswer>;
};

/**
 * Defines a page of an area of the operator's console.
 *
 * @throws ROUTE_NOT_FOUND for other users, as for an address that does not exist.
 */
export function operatorPage(area: OperatorArea, { rest, handler, ...page }: Shape): Action {
  const [method, below = ''] = rest.split(' ') as ['GET' | 'POST', string?];
  const route = `${operatorAreas[area].path as `/${string}`}${below}` as const;
  return userPage({
    ...page,
    rest: `${method} ${route}`,
    async handler(visit) {
      requireOperator(visit);
      const address = addressOfChoice(visit, route);
      if (address !== null) return redirectTo(address);
      return handler({ ...visit, shell: await readShell(visit), area });
    },
  });
}

/** Throws ROUTE_NOT_FOUND unless the user is an operator. */
export function requireOperator({ user }: UserVisit): void {
  if (!user.isOperator) throw apiError('ROUTE_NOT_FOUND');
}

type OperatorPage = Omit<UserPage, 'frame'> & {
  /** Links from the area to this page; empty on the area's first page. */
  parents?: Crumbs;
};

/** Renders a page of the operator's console in its frame. */
export function renderOperatorPage({ shell, area }: OperatorVisit, page: OperatorPage): PageAnswer {
  const { parents = [], ...others } = page;
  return renderUserPage({ ...others, frame: { shell, place: { operator: area }, parents } });
}

/** The path of a page of the operator's console, with a query. */
export function operatorPath(
  area: OperatorArea,
  rest: readonly string[] = [],
  query: Record<string, string> = {},
): string {
  return withQuery([operatorAreas[area].path, ...rest.map(encodeURIComponent)].join('/'), query);
}

export type OperatedOrganization = CallOutput<'identity.operator.organizations.read'>;

/** The organization in the path; throws NOT_FOUND when there is none. */
export async function readOperated({ ctx, path }: OperatorVisit): Promise<OperatedOrganization> {
  return await call(ctx, 'identity.operator.organizations.read', { path: { orgId: path.orgId ?? '' } });
}

type OrganizationTab = 'overview' | 'plan' | 'audit';

/** The path of a page about an organization. */
export function operatedPath(
  { id }: Pick<OperatedOrganization, 'id'>,
  tab: OrganizationTab,
  rest: readonly string[] = [],
  query: Record<string, string> = {},
): string {
  return operatorPath('organizations', [id, ...(tab === 'overview' ? [] : [tab]), ...rest], query);
}

type OperatedPage = Omit<OperatorPage, 'title' | 'head' | 'parents'> & { tab: OrganizationTab };

/** Renders a page about an organization: its head with the tabs, and the content of one. */
export function renderOperated(
  visit: OperatorVisit,
  organization: OperatedOrganization,
  { tab, ...page }: OperatedPage,
): PageAnswer {
  return renderOperatorPage(visit, {
    ...page,
    title: organization.name,
    parents: [[operatorPath('organizations'), texts().operator.areas.organizations]],
    head: renderHead(organization, tab),
    body: html`${renderSuspension(organization)}${page.body}`,
  });
}

function renderHead(organization: OperatedOrganization, current: OrganizationTab): Html {
  const { id, name } = organization;
  const { tabs, idName } = texts().operator.organization;
  const keys = ['overview', 'plan', 'audit'] as const;
  return html`<header class="detail">${renderAvatar({ name, id, size: 'lg', isSquare: true })}
<div class="grow"><h1><bdi>${name}</bdi> ${renderStanding(organization)}</h1><p class="quiet">${renderCopyable('organization-id', id, idName)}</p></div>
</header>
${renderTabs(
  tabs.label,
  keys.map((key) => [key, operatedPath(organization, key), tabs[key]] as const),
  current,
)}`;
}

/** Says since when and why the organization is suspended; null while it is in force. */
function renderSuspension({ suspension }: OperatedOrganization): Html | null {
  if (!suspension) return null;
  const { since, reason } = suspension;
  return renderBanner({ tone: 'bad', icon: 'alert', words: texts().operator.suspension(renderDay(since), reason) });
}

const tones = { active: 'good', trialing: 'warn', past_due: 'warn', incomplete: 'warn', expired: 'bad' } as const;

/** Renders the state of an organization: suspended, otherwise the status of its subscription. */
export function renderStanding({ status, suspension }: Pick<OperatedOrganization, 'status' | 'suspension'>): Html {
  const { states, unknown, suspended } = texts().operator;
  if (suspension) return renderState(suspended, 'bad');
  const words: Record<string, string | undefined> = states;
  const tone = (tones as Record<string, (typeof tones)[keyof typeof tones] | undefined>)[status ?? ''];
  return renderState(words[status ?? ''] ?? unknown, tone ?? 'off');
}
