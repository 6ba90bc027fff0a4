import { keptDaysModel } from '../../lib/clients/retention-days.ts';

/** The retention of an organization's events, by the entitlements that the sweep last read. */
export const RetentionModel = keptDaysModel('ContextRetention', 'context_retentions');
