import type { Action } from '../../../../lib/action.ts';
import { callerIn } from '../../../../lib/authorize.ts';
import type { UserCaller } from '../../../../lib/caller.ts';
import { fail } from '../../../../lib/errors.ts';
import { allows } from '../../../../lib/permissions.ts';
import { type Refusal, refuse } from '../../../../web/attempt.ts';
import { type Form, type Query, type UserVisit, userPage } from '../../../../web/define-page.ts';
import type { Html } from '../../../../web/html.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { showSwitcher } from '../../../../web/switcher.ts';
import { refuseStale, showUserPage, type UserPage } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { billedOrganizations, chooseOrganization, navigationAt } from './choose-organization.ts';
import { billingPath, withOrganization } from './paths.ts';

/** A visit of a user who may see the billing of an organization; `mayChange`: and change it. */
export type BillingVisit = UserVisit & { orgId: string; mayChange: boolean };

type Shape = Omit<Parameters<typeof userPage>[0], 'handler'> & {
  handler: (visit: BillingVisit) => Promise<PageAnswer>;
};

/**
 * A page for users, about the organization that the query or the form names. Without an organization the user chooses
 * one.
 *
 * @throws NOT_FOUND for an organization that the user does not belong to.
 */
export function billingPage({ handler, ...page }: Shape): Action {
  const isForm = page.rest.startsWith('POST ');
  return userPage({
    ...page,
    handler(visit) {
      const wanted = wantedIn(isForm ? visit.form : visit.query);
      if (wanted === undefined && !isForm) return chooseOrganization(visit);
      return handler({ ...visit, ...rightsIn(visit.user, wanted ?? '') });
    },
  });
}

/** Why a posted form is refused: it is stale, or the user may not change the plan; null when it is accepted. */
export function refuseChange(visit: BillingVisit, kind: string): Refusal | null {
  const stale = refuseStale(visit, kind);
  if (stale) return stale;
  return visit.mayChange ? null : refuse({}, texts().console.noChange, 403);
}

/** Shows a page of an organization's billing, from which users of several organizations switch to the others. */
export async function showBillingPage(visit: BillingVisit, page: Omit<UserPage, 'navigation'>): Promise<PageAnswer> {
  const navigation = navigationAt(withOrganization(billingPath, visit.orgId));
  return showUserPage({ ...page, navigation: { ...navigation, switcher: await switcherOf(visit) } });
}

async function switcherOf(visit: BillingVisit): Promise<Html | null> {
  if (visit.user.memberships.length < 2) return null;
  const all = await billedOrganizations(visit);
  const here = all.find(({ id }) => id === visit.orgId);
  const others = all.filter(({ id }) => id !== visit.orgId);
  if (!here || others.length === 0) return null;
  const links = others.map(({ id, name }) => [withOrganization(billingPath, id), name] as const);
  return showSwitcher({ label: texts().console.organization, current: here.name, links });
}

/** The named organization; undefined without one. A parameter that is sent twice matches none. */
function wantedIn({ orgId }: Form | Query): string | undefined {
  return orgId === undefined || orgId === '' ? undefined : String(orgId);
}

function rightsIn(user: UserCaller, orgId: string): Pick<BillingVisit, 'orgId' | 'mayChange'> {
  const member = callerIn(user, orgId);
  if (!member) throw fail('NOT_FOUND');
  if (!allows(member.scopes, 'billing.read')) {
    throw fail('PERMISSION_DENIED', { message: texts().console.notAllowed });
  }
  return { orgId, mayChange: allows(member.scopes, 'billing.write') };
}
