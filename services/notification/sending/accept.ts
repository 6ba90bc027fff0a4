import type { Context } from 'moleculer';
import { now } from '../../../lib/clock.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { withQuota } from '../../../lib/quota.ts';
import { newDelivery } from '../../../messaging/delivery/documents.ts';
import { type NotificationDocument, NotificationModel } from '../../../models/notification/notification.ts';
import { type NotificationContent, sealContent } from './content.ts';
import { capacity, wake } from './queue.ts';
import { recipientKeys } from './recipient.ts';

export type Accepted = Pick<
  NotificationDocument,
  '_id' | 'orgId' | 'channel' | 'recipientId' | 'addresses' | 'templateId' | 'templateVersion' | 'locale'
> & { onlyConnection?: string; content: NotificationContent };

/**
 * Stores a notification durably for sending, under one unit of the organization's quota. Idempotent by its id.
 *
 * @throws PLAN_LIMIT_EXCEEDED, SERVICE_NOT_INCLUDED, PAYMENT_REQUIRED, UNAVAILABLE, and RATE_LIMITED when too many wait.
 */
export async function accept(
  ctx: Context,
  { content, onlyConnection = undefined, ...accepted }: Accepted,
): Promise<void> {
  const { orgId, _id } = accepted;
  await capacity.add(orgId);
  const meter = 'notification.sendsPerMonth' as const;
  await withQuota(ctx, { orgId, meter, amount: 1, key: _id }, async () => {
    const at = now();
    await insertIfAbsent<NotificationDocument>(NotificationModel, {
      ...accepted,
      ...newDelivery(at),
      recipients: recipientKeys([accepted.recipientId, ...accepted.addresses]),
      sealedContent: sealContent(content),
      onlyConnection: onlyConnection ?? null,
      connectionId: null,
      provider: null,
      providerMessageId: null,
      events: [{ type: 'queued', at, connectionId: null, provider: null, reason: null }],
      sentAt: null,
    });
  });
  wake.wake();
}
