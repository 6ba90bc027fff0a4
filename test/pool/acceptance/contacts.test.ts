import { runOnPool } from './on-pool.ts';

await runOnPool(() => import('../../acceptance/contacts.test.ts'));
