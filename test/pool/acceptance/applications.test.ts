import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/applications.test.ts'));
