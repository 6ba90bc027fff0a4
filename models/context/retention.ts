import { keptDaysModel } from '../../lib/kept-days.ts';

/** How long an organization's events are kept, by the entitlements that the sweep has last read. */
export const RetentionModel = keptDaysModel('ContextRetention', 'context_retentions');
