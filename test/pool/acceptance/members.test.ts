import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/members.test.ts'));
