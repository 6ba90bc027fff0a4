import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/profile.test.ts'));
