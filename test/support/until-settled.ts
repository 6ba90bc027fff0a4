import { withDatabase } from './database.ts';
import { until } from './until.ts';

/** By collection, which of an organization's documents the platform has yet to change by itself. */
const unsettled = {
  billing_counters: { held: { $gt: 0 } },
  context_pending_events: {},
  context_customers: { composeAt: { $ne: null } },
  mail_messages: { status: { $in: ['queued', 'sending'] } },
};

/**
 * Waits until what an organization took is charged, its events are composed and its mails are sent: from then on what is
 * stored of it is as it was, unless somebody changes it. Others' work may come first, so that it can take long.
 */
export function untilSettled(databaseUrl: string, orgId: string): Promise<void> {
  return withDatabase(databaseUrl, async (database) => {
    for (const [name, filter] of Object.entries(unsettled)) {
      await until(async () => (await database.collection(name).countDocuments({ orgId, ...filter })) === 0, 50_000);
    }
  });
}
