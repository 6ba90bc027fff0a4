import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/oauth.test.ts'));
