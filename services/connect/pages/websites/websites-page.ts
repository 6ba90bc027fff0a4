import type { Refusal } from '../../../../web/attempt.ts';
import { flowField } from '../../../../web/flow.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type OrganizationVisit, pathOf, rejectChange } from '../../../../web/organization-page.ts';
import { openUserFlow } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';

/** The kind of the forms' tokens. */
const websitesForm = 'websites';

/** Why a posted form is rejected: it is stale, or the member may not change settings; null if it is accepted. */
export const rejectSettings = (visit: OrganizationVisit): Refusal | null =>
  rejectChange(visit, websitesForm, texts().websites.noChange);

/** The common hidden fields of forms about a website. */
export type SiteForm = { path: string; siteId: string; flow: string };

export const siteForm = (visit: OrganizationVisit, siteId: string): SiteForm => ({
  path: pathOf(visit, 'websites'),
  siteId,
  flow: openUserFlow(visit, websitesForm),
});

export function hiddenFields({ siteId }: SiteForm): Html {
  return html`<input type="hidden" name="siteId" value="${siteId}">`;
}

export const flowFields = (form: SiteForm): Html => html`${flowField(form.flow)}${hiddenFields(form)}`;

/** The URL of a website's settings. */
export function websiteHref(visit: OrganizationVisit, siteId: string, more: Record<string, string> = {}): string {
  return pathOf(visit, 'websites', [], { siteId, ...more });
}
