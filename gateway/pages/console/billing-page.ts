import { callerIn } from '../../../lib/authorize.ts';
import type { UserCaller } from '../../../lib/caller.ts';
import { fail } from '../../../lib/errors.ts';
import { allows } from '../../../lib/permissions.ts';
import { type Refusal, refuse } from '../attempt.ts';
import { type Handler, refuseStale, sendUserPage, type UserPage, type UserVisit, userPage } from '../user-page.ts';
import type { Visit } from '../visit.ts';
import { chooseOrganization } from './choose-organization.ts';
import { billingPath, withOrganization } from './paths.ts';

/** A visit of a user who may see the billing of an organization; `mayChange`: and change it. */
export type BillingVisit = UserVisit & { orgId: string; mayChange: boolean };

/**
 * A route for users, about the organization that the query or the form names. Other visitors log in first and return to
 * the page `path`; without an organization the user chooses one.
 *
 * @throws NOT_FOUND for an organization that the user does not belong to.
 */
export function billingPage(path: string, answer: (visit: BillingVisit) => Promise<void>): Handler {
  return userPage(
    (visit) => withOrganization(path, wantedBy(visit) ?? ''),
    async (visit) => {
      const wanted = wantedBy(visit);
      if (wanted === undefined && visit.request.method === 'GET') return chooseOrganization(visit);
      await answer({ ...visit, ...rightsIn(visit.user, wanted ?? '') });
    },
  );
}

/** Why a posted form is refused: it is stale, or the user may not change the plan; null when it is accepted. */
export function refuseChange(visit: BillingVisit, kind: string): Refusal | null {
  const stale = refuseStale(visit, kind);
  if (stale) return stale;
  return visit.mayChange ? null : refuse({}, 'You may see what the organization pays for, but not change it.', 403);
}

/** Sends a page of an organization's billing. */
export function sendBillingPage(visit: BillingVisit, page: Omit<UserPage, 'navigation'>): void {
  const current = withOrganization(billingPath, visit.orgId);
  const links: [string, string][] = [
    [current, 'Billing'],
    ...(visit.user.memberships.length > 1 ? [[billingPath, 'Other organizations'] as [string, string]] : []),
    ['/account', 'Your account'],
  ];
  sendUserPage(visit, { ...page, navigation: { label: 'Console', links, current } });
}

/** The named organization; undefined without one. A parameter that is sent twice matches none. */
function wantedBy({ request, query, form }: Visit): string | undefined {
  const wanted = request.method === 'POST' ? form.orgId : query.orgId;
  return wanted === undefined || wanted === '' ? undefined : String(wanted);
}

function rightsIn(user: UserCaller, orgId: string): Pick<BillingVisit, 'orgId' | 'mayChange'> {
  const member = callerIn(user, orgId);
  if (!member) throw fail('NOT_FOUND');
  if (!allows(member.scopes, 'billing.read')) {
    throw fail('PERMISSION_DENIED', { message: 'You may not see what this organization pays for.' });
  }
  return { orgId, mayChange: allows(member.scopes, 'billing.write') };
}
