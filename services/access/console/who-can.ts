import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { now } from '../../../lib/clock.ts';
import { consoleOutput } from '../../../lib/said.ts';
import { nameInput } from '../assignments/subjects.ts';
import { requireAnswer } from '../checks/decide.ts';
import { storeOf } from '../store/access-store.ts';
import { maxShown, unknownOrganization } from './said.ts';

/** `access.console.who-can`, for the console: the users and applications of an organization that hold a permission. */
export const whoCan = defineAction({
  summary: 'List the holders of a permission to an operator',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ key: nameInput, orgId: nameInput }) },
  output: consoleOutput,
  async handler({ body: { key, orgId }, ctx }) {
    const store = storeOf(ctx);
    requireAnswer(store, orgId);
    const graph = store.org(orgId);
    if (!graph) return unknownOrganization(orgId);
    if (!graph.permission(key)) return { lines: [`${orgId} has no permission ${key}.`] };
    const at = now().getTime();
    const users = await graph.subjectsWithSliced(key, at, 'user');
    const applications = await graph.subjectsWithSliced(key, at, 'application');
    const holders = [...users, ...applications];
    const remaining = holders.length - maxShown;
    return {
      lines: [
        `Holders of ${key} in ${orgId} at revision ${graph.revision}: users ${users.length}, applications ${applications.length}.`,
        ...holders.slice(0, maxShown),
        ...(remaining > 0 ? [`… and ${remaining} more: GET /access/permissions/${key}/users lists all.`] : []),
      ],
    };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.console.who-can': typeof whoCan;
  }
}
