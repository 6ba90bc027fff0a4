import { listUsageHistory } from './list-usage-history.ts';

export const periodActions = {
  'usage.list-history': listUsageHistory,
};
