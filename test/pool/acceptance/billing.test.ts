import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/billing.test.ts'));
