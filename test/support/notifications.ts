import type { Client } from './client.ts';
import { webhookSecret } from './provider-servers.ts';
import { eventually } from './until.ts';

const variables = [
  { name: 'name', required: true, sample: 'Grace' },
  { name: 'orderId', required: false, sample: 'A-1001' },
];

/** Makes a template of a name and an order, and returns its id. */
export async function newTemplate({ call }: Client, more: object = {}): Promise<string> {
  const text = 'Hello {{ name }}, your order {{ orderId }} is on its way.';
  const body = { name: 'Order shipped', subject: 'Order {{ orderId }}', text, variables, ...more };
  return (await call('notification.templates.create', { body })).id;
}

/** Connects the channel `chatapp` by the mailbox, unless the body says otherwise. */
export async function connect({ call }: Client, body: object = {}): Promise<string> {
  const chosen = { channel: 'chatapp' as const, provider: 'mailbox' as const, ...body };
  return (await call('notification.channels.create', { body: chosen })).id;
}

/** Connects a channel by a webhook. */
export function connectWebhook(client: Client, url: string, more: object = {}): Promise<string> {
  return connect(client, { provider: 'webhook', credentials: { url, secret: webhookSecret }, ...more });
}

/** Waits until a notification has a status, and returns it. */
export function untilStatus({ call }: Client, notificationId: string, status: string) {
  // What may have been accepted is sent again after up to half a minute.
  return eventually(async () => {
    const found = await call('notification.notifications.read', { path: { notificationId } });
    if (found.status !== status) throw new Error(`It is ${found.status}, not ${status}: ${JSON.stringify(found)}`);
    return found;
  }, 80_000);
}

/** How many notifications of this month are charged. */
export async function chargedOf({ call, orgId }: Client): Promise<number> {
  const { usage } = await call('billing.usage.read', { path: { orgId } });
  return usage.notification.sentThisMonth;
}
