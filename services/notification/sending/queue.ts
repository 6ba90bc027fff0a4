import type { ServiceBroker } from 'moleculer';
import { createCircuitBreaker } from '../../../lib/concurrency/circuit-breaker.ts';
import { createQueueLimit } from '../../../messaging/delivery/capacity.ts';
import { circuitOptions, createWake, type DeliveryKind } from '../../../messaging/delivery/deliverer.ts';
import { createDelivery, type Delivery } from '../../../messaging/delivery/delivery.ts';
import { deliveryMetrics } from '../../../messaging/delivery/metrics.ts';
import { createRefunds } from '../../../messaging/delivery/refunds.ts';
import { deferWhileSuspended } from '../../../messaging/delivery/suspension.ts';
import { type NotificationDocument, NotificationModel } from '../../../models/notification/notification.ts';
import { announceOutcome, deadEvents, prepareRoute } from './route.ts';

/** Notifications of an organization that can wait to be sent; the next is refused (429). */
const maxOpen = 100_000;

export const wake = createWake();
export const capacity = createQueueLimit(NotificationModel, maxOpen);
export const refunds = createRefunds<NotificationDocument>(NotificationModel, 'notification.sendsPerMonth', () => true);

const deliveryKind: DeliveryKind<NotificationDocument> = {
  label: 'Notification',
  model: NotificationModel,
  wake,
  metrics: deliveryMetrics('notification', 'Notifications', NotificationModel),
  preparing: { places: 64, share: 0.5 },
  sending: { places: 32, share: 1 },
};

/** Sends the stored notifications through the connections of their channels. */
export function notificationDelivery(broker: ServiceBroker): Delivery {
  const logger = broker.getLogger('notification');
  const node = { broker, breaker: createCircuitBreaker(circuitOptions) };
  return createDelivery(
    deliveryKind,
    {
      // The breakers of the connections are in the route, because one attempt may use several.
      async prepare(claim) {
        await deferWhileSuspended(broker, claim.orgId);
        return prepareRoute(claim, node);
      },
      deadLetterFields: (claim, failure) => ({ ...refunds.deadFields(claim, failure), events: deadEvents(claim) }),
      onDeadLetter: (claim, failure) =>
        refunds
          .settle(broker, claim, failure)
          .catch((error) =>
            logger.warn('Quota release failed; the sweep releases the unit', { notificationId: claim._id, error }),
          ),
      stored: ({ _id }) => announceOutcome(_id),
    },
    logger,
  );
}
