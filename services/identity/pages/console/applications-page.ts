import type { CallOutput } from '../../../../lib/contract/context.ts';
import { call } from '../../../../lib/contract/context.ts';
import { renderCopyable } from '../../../../web/copy.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import { type OrganizationVisit, pathOf } from '../../../../web/organization-page.ts';
import type { Crumbs } from '../../../../web/shell.ts';
import { renderTabs } from '../../../../web/states.ts';
import { texts } from '../texts.ts';

export type Application = CallOutput<'identity.applications.read'>;

/** The application in the path; throws NOT_FOUND when the organization has none of this slug. */
export async function readApplication({ ctx, path }: OrganizationVisit): Promise<Application> {
  return await call(ctx, 'identity.applications.read', { path: { slug: path.app ?? '' } });
}

/** The path of an application's page, or of a page below it. */
export function applicationPath(
  visit: OrganizationVisit,
  { slug }: Pick<Application, 'slug'>,
  rest: readonly string[] = [],
  query: Record<string, string> = {},
): string {
  return pathOf(visit, 'applications', [slug, ...rest], query);
}

/** The links from the list to a page below an application. */
export function crumbsTo(visit: OrganizationVisit, application?: Application): Crumbs {
  const list = [pathOf(visit, 'applications'), texts().consoleApplications.back] as const;
  return application ? [list, [applicationPath(visit, application), application.name]] : [list];
}

/** The head of the pages of one application: its name, its id and the tabs. */
export function renderApplicationHead(
  visit: OrganizationVisit,
  application: Application,
  tab: 'overview' | 'settings',
): Html {
  const t = texts().consoleApplications;
  const tabs = [
    ['overview', applicationPath(visit, application), t.tabs.overview],
    ['settings', applicationPath(visit, application, ['settings']), t.tabs.settings],
  ] as const;
  const { id, name, description } = application;
  return html`<header class="detail">
<span class="avatar lg sq t6" aria-hidden="true">${renderIcon('app')}</span>
<div class="grow"><h1><bdi>${name}</bdi></h1><p class="quiet">${description && html`<span class="clip"><bdi>${description}</bdi></span>`}${renderCopyable('application-id', id, t.idName)}</p></div>
</header>
${renderTabs(t.tabs.label, tabs, tab)}`;
}
