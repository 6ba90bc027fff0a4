import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/operations.test.ts'));
