import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { consoleOutput } from '../../../lib/said.ts';
import { nameInput } from '../assignments/subjects.ts';
import type { Role } from '../graph/org-graph.ts';
import { type AccessStore, storeOf } from '../store/access-store.ts';
import { unknownOrganization } from './said.ts';

/** `access.console.graph`, for the console: the size of an organization's access graph, and its roles. */
export const describeGraph = defineAction({
  summary: "Describe an organization's access graph to an operator",
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: nameInput }) },
  output: consoleOutput,
  handler({ body: { orgId }, ctx }) {
    const store = storeOf(ctx);
    const graph = store.org(orgId);
    if (!graph && !store.isReadable(orgId)) {
      return { lines: [`${orgId} has data that the version on node ${ctx.broker.nodeID} cannot read.`] };
    }
    if (!graph) return unknownOrganization(orgId);
    const { roles, permissions, assignments, subjects } = graph.sizes();
    const state = store.isReadable(orgId) ? stateOf(store) : 'behind: it has data that this version cannot read';
    return {
      lines: [
        `${orgId} is at revision ${graph.revision} on ${ctx.broker.nodeID}, which is ${state}.`,
        `Subjects ${subjects}, assignments ${assignments}, owners ${graph.owners()}.`,
        `Own permissions ${permissions}, own roles ${roles}. All roles:`,
        ...graph.roles().map(describeRole),
      ],
    };
  },
});

function stateOf(store: AccessStore): string {
  return store.isCurrent() ? 'current' : 'not confirmed by the database';
}

function describeRole({ id, name, permissions, includes }: Role): string {
  const included = includes.length === 0 ? '' : `, includes ${includes.join(' ')}`;
  return `  ${id} ${JSON.stringify(name)}: permissions ${permissions.length}${included}`;
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.console.graph': typeof describeGraph;
  }
}
