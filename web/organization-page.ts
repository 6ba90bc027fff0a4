import { callerIn } from '../lib/contract/authorize.ts';
import { type CallOutput, call, type UserCaller } from '../lib/contract/context.ts';
import type { Action } from '../lib/contract/define-action.ts';
import { apiError } from '../lib/contract/errors.ts';
import { allows, type SystemPermission } from '../lib/contract/permissions.ts';
import { idPattern } from '../lib/data/ids.ts';
import { type Form, type Query, type UserVisit, userPage } from './define-page.ts';
import { type Html, html } from './html.ts';
import { type PageAnswer, redirectTo } from './page.ts';
import { renderSwitcher } from './switcher.ts';
import { renderEmpty } from './table.ts';
import { texts } from './texts.ts';
import { type Navigation, renderUserPage } from './user-page.ts';

/** A visit of a user in an organization; calls with `ctx` are made there. */
export type OrganizationVisit = UserVisit & { orgId: string; scopes: readonly string[] };

export type Organization = Extract<CallOutput<'identity.me.read'>, { type: 'user' }>['organizations'][number];

/** A group of console pages about an organization. */
export type Area = {
  /** Path of its first page, where an organization is chosen. */
  path: string;
  /** Permission that a user needs in the organization to see the area. */
  permission: SystemPermission;
  texts: () => {
    title: string;
    /** Text above the list of organizations. */
    choose: string;
    /** Text shown instead when the list is empty. */
    none: string;
    notAllowed: string;
  };
};

type Shape = Omit<Parameters<typeof userPage>[0], 'handler'> & {
  handler: (visit: OrganizationVisit) => Promise<PageAnswer>;
};

const orgIdPattern = idPattern('org');

/**
 * Defines a page about the organization that the query or the form names. Without one the user chooses.
 *
 * @throws NOT_FOUND for an organization that the user does not belong to.
 */
export function organizationPage(area: Area, { handler, ...page }: Shape): Action {
  const isForm = page.rest.startsWith('POST ');
  return userPage({
    ...page,
    handler(visit) {
      const orgId = wantedIn(isForm ? visit.form : visit.query);
      if (orgId === undefined && !isForm) return chooseOrganization(area, visit);
      const member = memberIn(area, visit.user, orgId ?? '');
      return handler({ ...visit, orgId: member.orgId, scopes: member.scopes });
    },
  });
}

/** Builds the URL of a page about an organization. Omits an invalid organization id. */
export function withOrganization(path: string, orgId: string, more: Record<string, string> = {}): string {
  return orgIdPattern.test(orgId) ? `${path}?${new URLSearchParams({ orgId, ...more })}` : path;
}

/** The organizations in which the user may see an area. */
export async function organizationsOf({ permission }: Area, { ctx, user }: UserVisit): Promise<Organization[]> {
  const me = await call(ctx, 'identity.me.read', {});
  const all = me.type === 'user' ? me.organizations : [];
  return all.filter(({ id }) => allows(callerIn(user, id)?.scopes ?? [], permission));
}

/** Navigation of the console; with an organization, the pages about it. */
export function consoleNavigation(area: Area, orgId: string | null): Navigation {
  const t = texts().console;
  const at = (path: string): string => (orgId === null ? path : withOrganization(path, orgId));
  return {
    label: t.navigation,
    links: [
      [at('/console/inbox'), t.inbox],
      [at('/console/connect'), t.websites],
      [at('/console/billing'), t.billing],
      ['/account', t.account],
    ],
    current: at(area.path),
  };
}

/** Renders links to the same area of the user's other organizations; null when there are none. */
export async function switcherOf(area: Area, visit: OrganizationVisit): Promise<Html | null> {
  if (visit.user.memberships.length < 2) return null;
  const all = await organizationsOf(area, visit);
  const here = all.find(({ id }) => id === visit.orgId);
  const others = all.filter(({ id }) => id !== visit.orgId);
  if (!here || others.length === 0) return null;
  const links = others.map(({ id, name }) => [withOrganization(area.path, id), name] as const);
  return renderSwitcher({ label: texts().console.organization, current: here.name, links });
}

/** Renders the organizations whose area the user may see; a single one is opened directly. */
async function chooseOrganization(area: Area, visit: UserVisit): Promise<PageAnswer> {
  const { title, choose, none } = area.texts();
  const seen = await organizationsOf(area, visit);
  const [only, another] = seen;
  if (only && !another) return redirectTo(withOrganization(area.path, only.id));
  return renderUserPage({
    title,
    navigation: consoleNavigation(area, null),
    body:
      seen.length > 0
        ? html`<p>${choose}</p>
<ul class="items">${seen.map((one) => renderOrganization(area, one))}</ul>`
        : renderEmpty(none),
  });
}

function renderOrganization({ path }: Area, { id, name, slug, role }: Organization): Html {
  return html`<li><a href="${withOrganization(path, id)}">${name}</a> <span class="tag">${role}</span>
<p class="hint">${slug}</p></li>`;
}

/** The named organization; undefined without one. A parameter that is sent twice matches none. */
function wantedIn({ orgId }: Form | Query): string | undefined {
  return orgId === undefined || orgId === '' ? undefined : String(orgId);
}

function memberIn({ permission, texts: own }: Area, user: UserCaller, orgId: string) {
  const member = callerIn(user, orgId);
  if (!member) throw apiError('NOT_FOUND');
  if (!allows(member.scopes, permission)) throw apiError('PERMISSION_DENIED', { message: own().notAllowed });
  return { orgId, scopes: member.scopes };
}

/** Makes the calls of a visit as a member, for actions that require an organization. */
export function callAsMember({ ctx, user, orgId }: OrganizationVisit): void {
  ctx.meta.caller = callerIn(user, orgId) ?? user;
}
