import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/refresh.test.ts'));
