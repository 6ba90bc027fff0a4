import type { Context } from 'moleculer';
import { once } from '../../../lib/once.ts';
import type { CounterDocument } from '../../../models/billing/counter.ts';
import { now } from '../clock.ts';
import { mailOwners } from '../mail-owners.ts';
import { type Meter, meters } from '../quota/meters.ts';

/** The fields of a counter that a warning needs. */
export type Counted = Pick<CounterDocument, '_id' | 'orgId' | 'used' | 'warned' | 'periodEnd'> & { meter: Meter };

/** The display names of the meters. */
const names: Record<Meter, string> = {
  'context.eventsPerDay': 'events today',
  'intelligence.recommendationsPerDay': 'recommendations today',
  'notification.sendsPerMonth': 'notifications this month',
  'mail.sendsPerMonth': 'mails this month',
  'storage.bandwidthGbPerMonth': 'gigabytes delivered this month',
  'storage.storageGb': 'gigabytes stored',
  'connect.agentSeats': 'agent seats',
};

const numbers = once(() => new Intl.NumberFormat('en', { maximumFractionDigits: 2 }));

/** Mails each owner how much of a limit is used; for a gauge at most once a day. Idempotent for one warning. */
export async function mailWarning(
  ctx: Pick<Context, 'call'>,
  { _id, orgId, meter, used, periodEnd }: Counted,
  { limit, percent }: { limit: number; percent: number },
): Promise<void> {
  const crossing = `${_id}:${percent}:${limit}${periodEnd ? '' : `:${now().toISOString().slice(0, 10)}`}`;
  const variables = {
    what: names[meter],
    percent: String(percent),
    used: numbers().format(used / meters[meter].unit),
    limit: numbers().format(limit),
  };
  await mailOwners(ctx, orgId, { key: `quota-warning:${crossing}`, template: 'quota-warning', variables });
}
