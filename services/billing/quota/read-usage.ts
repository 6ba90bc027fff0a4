import { z } from 'zod';
import { type EntitlementsCache, entitlementsNow } from '../subscriptions/entitlements-now.ts';
import { limitIn } from './limits.ts';
import { type Meter, meters } from './meters.ts';
import { runningQuota } from './running.ts';

const perDay = z.strictObject({ eventsToday: z.number(), limitPerDay: z.number() });
const perMonth = z.strictObject({ sentThisMonth: z.number(), limitPerMonth: z.number() });

/** Usage in API responses. Days and months are of UTC; a limit of zero: the group is not included. */
export const usage = z
  .strictObject({
    orgId: z.string(),
    /** The subscription's, `<start> / <end>`. */
    period: z.string(),
    usage: z.strictObject({
      context: perDay,
      notification: perMonth,
      mail: perMonth,
      storage: z.strictObject({ usedGb: z.number(), limitGb: z.number() }),
    }),
  })
  .meta({ id: 'Usage' });

/** The usage of an organization today, this month and in total, with open reservations. */
export async function readUsage(
  ctx: Parameters<typeof entitlementsNow>[0],
  orgId: string,
): Promise<z.output<typeof usage>> {
  const granted = await entitlementsNow(ctx, orgId);
  const [context, notification, mail, storage] = await Promise.all([
    readOne(granted, 'context.eventsPerDay'),
    readOne(granted, 'notification.sendsPerMonth'),
    readOne(granted, 'mail.sendsPerMonth'),
    readOne(granted, 'storage.storageGb'),
  ]);
  return {
    orgId,
    period: `${granted.period.start.toISOString()} / ${granted.period.end.toISOString()}`,
    usage: {
      context: { eventsToday: context.used, limitPerDay: context.limit },
      notification: { sentThisMonth: notification.used, limitPerMonth: notification.limit },
      mail: { sentThisMonth: mail.used, limitPerMonth: mail.limit },
      storage: { usedGb: storage.used, limitGb: storage.limit },
    },
  };
}

async function readOne(granted: EntitlementsCache, meter: Meter): Promise<{ used: number; limit: number }> {
  const { used, limit } = await readMeter(granted, meter);
  return { used, limit: limit ?? 0 };
}

/** A meter for people, in the limit's own unit. Without a limit it is not included; a gauge has no period end. */
export async function readMeter({ orgId, entitlements }: EntitlementsCache, meter: Meter) {
  const { used, counter } = await runningQuota().read(orgId, meter);
  const periodEnd = counter.period?.end.toISOString() ?? null;
  return { meter, used: used / meters[meter].unit, limit: limitIn(entitlements, meter), periodEnd };
}
