import type { Action } from '../../../../lib/action.ts';
import { allows } from '../../../../lib/permissions.ts';
import { type Refusal, refuse } from '../../../../web/attempt.ts';
import {
  type Area,
  consoleNavigation,
  type OrganizationVisit,
  organizationPage,
  switcherOf,
} from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { rejectStaleForm, renderUserPage, type UserPage } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { billingPath } from './paths.ts';

/** A visit of a user who may see the billing of an organization; `mayChange`: and change it. */
export type BillingVisit = OrganizationVisit & { mayChange: boolean };

type Shape = Omit<Parameters<typeof organizationPage>[1], 'handler'> & {
  handler: (visit: BillingVisit) => Promise<PageAnswer>;
};

const area: Area = {
  path: billingPath,
  permission: 'billing.read',
  texts: () => ({ ...texts().console, title: texts().console.billing }),
};

/** A page for users, about the organization that the query or the form names. */
export function billingPage({ handler, ...page }: Shape): Action {
  return organizationPage(area, {
    ...page,
    handler: (visit) => handler({ ...visit, mayChange: allows(visit.scopes, 'billing.write') }),
  });
}

/** Why a posted form is refused: it is stale, or the user may not change the plan; null when it is accepted. */
export function refuseChange(visit: BillingVisit, kind: string): Refusal | null {
  const stale = rejectStaleForm(visit, kind);
  if (stale) return stale;
  return visit.mayChange ? null : refuse({}, texts().console.noChange, 403);
}

/** Shows a page of an organization's billing, from which users of several organizations switch to the others. */
export async function renderBillingPage(visit: BillingVisit, page: Omit<UserPage, 'navigation'>): Promise<PageAnswer> {
  const navigation = consoleNavigation(area, visit.orgId);
  return renderUserPage({ ...page, navigation: { ...navigation, switcher: await switcherOf(area, visit) } });
}
