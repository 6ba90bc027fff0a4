import { callerIn } from '../lib/contract/authorize.ts';
import type { Action } from '../lib/contract/define-action.ts';
import { apiError } from '../lib/contract/errors.ts';
import { allows } from '../lib/contract/permissions.ts';
import { type Refusal, refuse } from './attempt.ts';
import { addressOfChoice } from './columns.ts';
import { type UserVisit, userPage } from './define-page.ts';
import { withQuery } from './filters.ts';
import { type Html, html } from './html.ts';
import { type Area, type AreaKey, areas, isVisible, permissionsOf, tabsWith } from './navigation.ts';
import type { Frame, PageAnswer } from './page.ts';
import { redirectTo, renderPage } from './page.ts';
import { type Crumbs, consolePath, type Organization, readShell, renderHead, type Shell } from './shell.ts';
import { renderTabs } from './states.ts';
import { renderSuspendedPage } from './suspended-page.ts';
import { texts } from './texts.ts';
import { rejectStaleForm, renderUserPage, type UserPage } from './user-page.ts';

/** A visit of a user in an organization's console. Calls with `ctx` are made as a member of the organization. */
export type OrganizationVisit = UserVisit & {
  orgId: string;
  organization: Organization;
  scopes: readonly string[];
  shell: Shell;
  area: AreaKey;
  /** Whether the member holds the permission to change the area; false where it has none. */
  mayChange: boolean;
};

type Shape = Omit<Parameters<typeof userPage>[0], 'handler' | 'rest'> & {
  /** The method, and the path below the area if it is not the area's first page: `GET`, `POST /:userId/role`. */
  rest: `${'GET' | 'POST'}${'' | ` /${string}`}`;
  /** Whether members see it while the organization is suspended. Default false. */
  whileSuspended?: boolean;
  handler: (visit: OrganizationVisit) => Promise<PageAnswer>;
};

/**
 * Defines a page of an area of the console, below `/console/:slug/<path of the area>`. A member without the area's
 * permission reads what is missing and who can give it. The pages of a suspended organization say so instead, except
 * those that are open `whileSuspended`.
 *
 * @throws NOT_FOUND for an organization that the user does not belong to.
 */
export function organizationPage(area: AreaKey, { rest, handler, whileSuspended = false, ...page }: Shape): Action {
  const [method, below = ''] = rest.split(' ') as ['GET' | 'POST', string?];
  const { path, writePermission }: Area = areas[area];
  const route = `/console/:slug${path && `/${path}`}${below}` as const;
  return userPage({
    ...page,
    rest: `${method} ${route}`,
    async handler(visit) {
      const shell = await readShell(visit, visit.path.slug ?? '');
      const { organization } = shell;
      const member = organization && callerIn(visit.user, organization.id, true);
      if (!organization || !member) throw apiError('NOT_FOUND');
      if (organization.suspension && !whileSuspended)
        return renderSuspendedPage(shell, organization, organization.suspension, member.scopes);
      visit.browser.keepOrganization(organization.id);
      if (!isVisible(areas[area], member.scopes)) return renderNotAllowed(shell, area);
      visit.ctx.meta.caller = member;
      const { scopes } = member;
      const mayChange = !organization.suspension && writePermission !== undefined && allows(scopes, writePermission);
      const address = addressOfChoice(visit, route);
      if (address !== null) return redirectTo(address);
      return handler({ ...visit, shell, organization, orgId: organization.id, scopes, area, mayChange });
    },
  });
}

type OrganizationPage = Omit<UserPage, 'frame'> & {
  /** Links from the area to this page; empty on the area's first page. */
  parents?: Crumbs;
};

/** Renders a page of the console in its frame. */
export function renderOrganizationPage(visit: OrganizationVisit, page: OrganizationPage): PageAnswer {
  const { parents = [], ...others } = page;
  return renderUserPage({ ...others, frame: frameOf(visit, parents) });
}

/** The frame of a page of the console. */
export function frameOf({ shell, area }: OrganizationVisit, parents: Crumbs = []): Frame {
  return { shell, place: { area }, parents };
}

/** Why a form that changes the area is rejected: it is stale, or the member may not; null if it is accepted. */
export function rejectChange(visit: OrganizationVisit, formKind: string, lacks: string): Refusal | null {
  return rejectStaleForm(visit, formKind) ?? (visit.mayChange ? null : refuse({}, lacks, 403));
}

/** Says what is missing to a member who may not change the area; null for others. */
export function renderReadOnly({ area, mayChange }: OrganizationVisit): Html | null {
  const { writePermission }: Area = areas[area];
  if (mayChange || writePermission === undefined) return null;
  return html`<p class="hint">${texts().console.readOnly(writePermission)}</p>`;
}

/** Renders the tabs of an area, where it has others that the member may see. */
export function renderAreaTabs(visit: OrganizationVisit): Html | null {
  const keys = tabsWith(visit.area).filter((key) => visit.shell.seen.has(key));
  if (keys.length < 2) return null;
  const t = texts().console;
  const tabs = keys.map((key) => [key, pathOf(visit, key), t.areaTabs[key] ?? t.areas[key]] as const);
  return renderTabs(t.tabs, tabs, visit.area);
}

/** The path of a page of the organization's console, with those parameters that are not empty. */
export function pathOf(
  { organization }: Pick<OrganizationVisit, 'organization'>,
  area: AreaKey,
  rest: readonly string[] = [],
  query: Record<string, string> = {},
): string {
  return withQuery(consolePath(organization.slug, area, ...rest), query);
}

function renderNotAllowed(shell: Shell, area: AreaKey): PageAnswer {
  const words = texts().console;
  const { title, words: reason, back } = words.notAllowed;
  const name = title(words.areas[area]);
  const overview = consolePath(shell.organization?.slug ?? '', 'overview');
  return renderPage({
    title: name,
    status: 403,
    frame: { shell, place: { area } },
    body: html`${renderHead({ title: name })}
<p>${reason(permissionsOf(areas[area]))}</p>
<p class="after"><a class="btn" href="${overview}">${back}</a></p>`,
  });
}
