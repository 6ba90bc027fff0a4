import type { Action } from '../../../../lib/contract/define-action.ts';
import { allows } from '../../../../lib/contract/permissions.ts';
import { type Refusal, refuse } from '../../../../web/attempt.ts';
import { flowField } from '../../../../web/flow.ts';
import { type Html, html } from '../../../../web/html.ts';
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
import { openUserFlow, rejectStaleForm, renderUserPage, type UserPage } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';

export const websitesPath = '/console/connect';

/** A visit of a user who may read an organization's websites; `mayChange`: and change them. */
export type WebsitesVisit = OrganizationVisit & { mayChange: boolean };

type Shape = Omit<Parameters<typeof organizationPage>[1], 'handler'> & {
  handler: (visit: WebsitesVisit) => Promise<PageAnswer>;
};

const area: Area = { path: websitesPath, permission: 'connect.read', texts: () => texts().websites };

/** Creates a page about the websites of the organization in the query or the form. */
export function websitesPage({ handler, ...page }: Shape): Action {
  return organizationPage(area, {
    ...page,
    handler(visit) {
      callAsMember(visit);
      return handler({ ...visit, mayChange: allows(visit.scopes, 'connect.settings.write') });
    },
  });
}

/** Returns why a posted form is rejected: it is stale, or the user may not change settings; null if accepted. */
export function rejectChange(visit: WebsitesVisit): Refusal | null {
  const stale = rejectStaleForm(visit, websitesPath);
  if (stale) return stale;
  return visit.mayChange ? null : refuse({}, texts().websites.noChange, 403);
}

export async function renderWebsitesPage(
  visit: WebsitesVisit,
  page: Omit<UserPage, 'navigation'>,
): Promise<PageAnswer> {
  const navigation = { ...consoleNavigation(area, visit.orgId), switcher: await switcherOf(area, visit) };
  return renderUserPage({ ...page, navigation });
}

/** The common hidden fields of forms about a website. */
export type SiteForm = { orgId: string; siteId: string; flow: string };

export const siteForm = (visit: WebsitesVisit, siteId: string): SiteForm => ({
  orgId: visit.orgId,
  siteId,
  flow: openUserFlow(visit, websitesPath),
});

export function hiddenFields({ orgId, siteId }: SiteForm): Html {
  return html`<input type="hidden" name="orgId" value="${orgId}"><input type="hidden" name="siteId" value="${siteId}">`;
}

export const flowFields = (form: SiteForm): Html => html`${flowField(form.flow)}${hiddenFields(form)}`;

/** The URL of a website's settings. */
export function websiteHref({ orgId }: WebsitesVisit, siteId: string, more: Record<string, string> = {}): string {
  return withOrganization(websitesPath, orgId, { siteId, ...more });
}
