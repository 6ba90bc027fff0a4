import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/login.test.ts'));
