import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/invitations.test.ts'));
