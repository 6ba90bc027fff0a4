import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { now } from '../../../lib/clock.ts';
import { consoleOutput } from '../../../lib/said.ts';
import { toInstant } from '../assignments/assignments.ts';
import { nameInput } from '../assignments/subjects.ts';
import { requireAnswer } from '../checks/decide.ts';
import type { Explanation, OrgGraph } from '../graph/org-graph.ts';
import { storeOf } from '../store/access-store.ts';
import { unknownOrganization } from './said.ts';

type Reason = Explanation['because'][number];

/** `access.console.why`, for the console: why a user, or an application, holds a permission or does not. */
export const why = defineAction({
  summary: 'Explain to an operator why a subject holds a permission',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ subject: nameInput, key: nameInput, orgId: nameInput }) },
  output: consoleOutput,
  handler({ body: { subject, key, orgId }, ctx }) {
    const store = storeOf(ctx);
    requireAnswer(store, orgId);
    const graph = store.org(orgId);
    if (!graph) return unknownOrganization(orgId);
    const { allowed, because, missing } = graph.explain(subject, key, now().getTime());
    const verdict = `${subject} ${allowed ? 'holds' : 'does not hold'} ${key} in ${orgId} at revision ${graph.revision}.`;
    if (!missing) return { lines: [verdict, ...because.map((reason) => describeReason(graph, reason))] };
    const roles = missing.roles.map((id) => `Would be granted by ${nameRole(graph, id)}.`);
    return { lines: [verdict, `${missing.reason}: ${missing.message}`, ...roles] };
  },
});

function describeReason(graph: OrgGraph, { assignmentId, roleId, through }: Reason): string {
  const way = [roleId, ...through].map((id) => nameRole(graph, id)).join(' → ');
  const expiresAt = toInstant(graph.assignment(assignmentId)?.expiresAt ?? null);
  return `By ${assignmentId}: ${way}${expiresAt === null ? '' : `, until ${expiresAt}`}.`;
}

/** The name is the organization's own text: it is quoted, so that it cannot imitate the platform's output. */
function nameRole(graph: OrgGraph, id: string): string {
  return `${id} ${JSON.stringify(graph.role(id)?.name ?? '')}`;
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.console.why': typeof why;
  }
}
