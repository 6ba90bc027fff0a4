import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/billing-quota.test.ts'));
