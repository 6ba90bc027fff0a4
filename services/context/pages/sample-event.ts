import { randomUUID } from 'node:crypto';
import { type CallInput, call } from '../../../lib/contract/context.ts';
import { orNull } from '../../../lib/contract/errors.ts';
import { now } from '../../../lib/data/clock.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type Attempt, refusalOf } from '../../../web/attempt.ts';
import type { Code } from '../../../web/code.ts';
import { flowField } from '../../../web/flow.ts';
import { type Html, html } from '../../../web/html.ts';
import { type OrganizationVisit, pathOf, rejectChange } from '../../../web/organization-page.ts';
import { pickFields } from '../../../web/pick.ts';
import { type Empty, renderEmpty } from '../../../web/table.ts';
import { openUserFlow } from '../../../web/user-page.ts';
import { texts } from './texts.ts';

type SampleEvent = CallInput<'context.events.create'>['body'];

const sampleForm = 'context.events.sample';
const customerId = 'C-1042';

/** Renders an empty list that an event fills: with an event to send from here or from a program. */
export function renderFirstEvent(visit: OrganizationVisit, empty: Pick<Empty, 'icon' | 'title' | 'words'>): Html {
  const t = texts().sample;
  const event = sampleEvent(visit.orgId, randomUUID());
  const send =
    visit.mayChange &&
    html`<form method="post" action="${pathOf(visit, 'events', ['sample'])}">${flowField(openUserFlow(visit, sampleForm))}<input type="hidden" name="eventId" value="${event.eventId}"><button class="btn primary">${t.send}</button></form>`;
  return renderEmpty({
    ...empty,
    acts: html`${send}<a class="btn" href="/docs/api/context#context.events.create">${t.reference}</a><a class="btn" href="/docs/events">${t.names}</a>`,
    code: [requestOf(event)],
  });
}

/** Sends the event of the form with the rights of the member. Returns where it is shown, or the refusal. */
export async function sendSampleEvent(visit: OrganizationVisit): Promise<Attempt<string>> {
  const { eventId } = pickFields(visit.form, 'eventId');
  const body = sampleEvent(visit.orgId, eventId);
  const refusal =
    rejectChange(visit, sampleForm, texts().sample.notAllowed) ??
    // A form that is sent twice sends its event once.
    (await refusalOf([], () => orNull(call(visit.ctx, 'context.events.create', { body }), 'EVENT_ALREADY_SENT')));
  if (refusal) return { refusal };
  const isStoryShown = visit.shell.seen.has('customers');
  const answer = isStoryShown
    ? pathOf(visit, 'customers', [customerId], { done: 'sent' })
    : pathOf(visit, 'events', [eventId]);
  return { refusal: null, answer };
}

function sampleEvent(orgId: string, eventId: string): SampleEvent {
  return {
    schemaVersion: '1.0',
    tenantId: orgId,
    eventId,
    eventName: 'order.created',
    occurredAt: now().toISOString(),
    actor: { type: 'customer', id: customerId },
    source: { system: 'shop', channel: 'web' },
    payload: { orderId: 'A-1001', total: '129.90', currency: 'EUR', customer: { name: texts().sample.name } },
  };
}

/** A request that sends the event; the key is the reader's own, in `KEY` of their shell. */
function requestOf(event: SampleEvent): Code {
  // A line for each field of the envelope.
  const fields = Object.entries(event).map(([name, value]) => `  "${name}": ${JSON.stringify(value)}`);
  return {
    label: texts().sample.label,
    text: `curl -sS ${settings.PUBLIC_URL}/events \\
  -H "Authorization: Bearer $KEY" \\
  -H "x-tenant-id: ${event.tenantId}" \\
  -H "Content-Type: application/json" \\
  -d '{
${fields.join(',\n')}
}'`,
  };
}
