import type { Html } from '../../../web/html.ts';
import { type OrganizationVisit, pathOf } from '../../../web/organization-page.ts';
import { renderTabs } from '../../../web/states.ts';
import { texts } from './texts.ts';

/** Renders the links to the accepted and to the refused events. */
export function renderEventsTabs(visit: OrganizationVisit, current: 'accepted' | 'refused'): Html {
  const t = texts().events.tabs;
  const tabs = [
    ['accepted', pathOf(visit, 'events'), t.accepted],
    ['refused', pathOf(visit, 'events', ['refused']), t.refused],
  ] as const;
  return renderTabs(t.label, tabs, current);
}
