import type { Html } from '../../../../web/html.ts';
import { type OrganizationVisit, pathOf } from '../../../../web/organization-page.ts';
import { renderTabs } from '../../../../web/states.ts';
import { texts } from '../texts.ts';

/** Renders the links to the logs of an organization. */
export function renderLogTabs(visit: OrganizationVisit, current: 'audit' | 'requests'): Html {
  const t = texts().logs.tabs;
  const tabs = [
    ['audit', pathOf(visit, 'logs'), t.audit],
    ['requests', pathOf(visit, 'logs', ['requests']), t.requests],
  ] as const;
  return renderTabs(t.label, tabs, current);
}
