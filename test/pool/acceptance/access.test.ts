import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/access.test.ts'));
