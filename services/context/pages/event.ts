import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { renderCode } from '../../../web/code.ts';
import { renderCopyable } from '../../../web/copy.ts';
import { type Fact, renderFacts } from '../../../web/facts.ts';
import { type Html, html } from '../../../web/html.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../web/organization-page.ts';
import type { PageAnswer } from '../../../web/page.ts';
import { renderTime } from '../../../web/time.ts';
import { renderCustomerLink, renderStanding } from './events.ts';
import { texts } from './texts.ts';

/** One event, as it was accepted. */
export const eventPages = {
  'pages.events.show': organizationPage('events', {
    rest: 'GET /:eventId',
    summary: 'Show an event',
    handler: renderEvent,
  }),
};

type StoredEvent = CallOutput<'context.events.read'>;

async function renderEvent(visit: OrganizationVisit): Promise<PageAnswer> {
  const event = await call(visit.ctx, 'context.events.read', { path: { eventId: visit.path.eventId ?? '' } });
  const { customerId: _customer, understood: _understood, ...envelope } = event;
  return renderOrganizationPage(visit, {
    title: event.eventName,
    parents: [[pathOf(visit, 'events'), texts().events.title]],
    lead: renderStanding(event),
    body: html`${renderEventFacts(visit, event)}
<section class="sec" aria-label="${texts().event.code}">${renderCode({ label: texts().event.code, text: JSON.stringify(envelope, null, 2) })}</section>`,
  });
}

function renderEventFacts(visit: OrganizationVisit, event: StoredEvent): Html {
  const t = texts().event;
  const f = t.facts;
  const facts: Fact[] = [
    [f.id, renderCopyable('event-id', event.eventId, t.idName)],
    [f.customer, renderCustomerLink(visit, event) ?? f.noCustomer],
    [f.occurred, renderTime(event.occurredAt)],
    [f.received, renderTime(event.receivedAt)],
    [f.source, html`<bdi>${event.source.system}</bdi>, <bdi>${event.source.channel}</bdi>`],
    [f.actor, html`<bdi>${event.actor.type}</bdi> <bdi>${event.actor.id}</bdi>`],
    ...(event.customerId === null ? [] : [[f.story, event.understood ? f.understood : f.counted] as const]),
  ];
  return renderFacts(facts);
}
