import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/organizations.test.ts'));
