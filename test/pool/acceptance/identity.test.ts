import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/identity.test.ts'));
