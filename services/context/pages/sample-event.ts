import { randomUUID } from 'node:crypto';
import { now } from '../../../lib/data/clock.ts';
import { settings } from '../../../lib/settings/settings.ts';
import type { Code } from '../../../web/code.ts';
import { type Html, html } from '../../../web/html.ts';
import { texts } from './texts.ts';

/** A request that sends an event of the organization; the key is the reader's own, in `KEY` of their shell. */
export function sampleRequest(orgId: string): Code {
  const t = texts().sample;
  const event = {
    schemaVersion: '1.0',
    tenantId: orgId,
    eventId: randomUUID(),
    eventName: 'order.created',
    occurredAt: now().toISOString(),
    actor: { type: 'customer', id: 'C-1042' },
    source: { system: 'shop', channel: 'web' },
    payload: { orderId: 'A-1001', total: '129.90', currency: 'EUR', customer: { name: t.name } },
  };
  // A line for each field of the envelope.
  const fields = Object.entries(event).map(([name, value]) => `  "${name}": ${JSON.stringify(value)}`);
  return {
    label: t.label,
    text: `curl -sS ${settings.PUBLIC_URL}/events \\
  -H "Authorization: Bearer $KEY" \\
  -H "x-tenant-id: ${orgId}" \\
  -H "Content-Type: application/json" \\
  -d '{
${fields.join(',\n')}
}'`,
  };
}

/** Links to a page that sends an event from the browser, and to the names and fields that stories understand. */
export const renderSampleLinks = (): Html =>
  html`<a class="btn" href="/docs/api/context#context.events.create">${texts().sample.reference}</a><a class="btn" href="/docs/events">${texts().sample.names}</a>`;
