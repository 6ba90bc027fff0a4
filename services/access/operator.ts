import { z } from 'zod';
import { type ConsoleOutput, defineCommand } from '../../lib/contract/define-command.ts';
import { now } from '../../lib/data/clock.ts';
import { toInstant } from './assignments.ts';
import { requireAnswer } from './decide.ts';
import type { Explanation, OrgGraph, Role } from './graph/org-graph.ts';
import { type AccessStore, storeOf } from './store/access-store.ts';
import { nameInput } from './subjects.ts';

/** The maximum of lines, so that a list fits into one NATS message (1 MiB) and into a terminal's scrollback. */
const maxShown = 5000;

function unknownOrganization(orgId: string): ConsoleOutput {
  return { lines: [`There is no organization ${orgId}.`] };
}

/** `access.console.graph`, for the console: the size of an organization's access graph, and its roles. */
export const describeGraph = defineCommand({
  commands: [
    {
      usage: 'access:graph <organization>',
      description: "The size of an organization's access graph, and its roles",
      fields: { organization: 'orgId' },
    },
  ],
  safe: true,
  body: z.strictObject({ orgId: nameInput }),
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

/** `access.console.who-can`, for the console: the users and applications of an organization that hold a permission. */
export const whoCan = defineCommand({
  commands: [
    {
      usage: 'access:who-can <key> <organization>',
      description: 'The holders of a permission in an organization (org_…)',
      fields: { organization: 'orgId' },
    },
  ],
  safe: true,
  body: z.strictObject({ key: nameInput, orgId: nameInput }),
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

type Reason = Explanation['because'][number];

/** `access.console.why`, for the console: why a user, or an application, holds a permission or does not. */
export const why = defineCommand({
  commands: [
    {
      usage: 'access:why <user> <key> <organization>',
      description: 'Why a user or an application (usr_…, app_…) holds a permission or does not',
      fields: { user: 'subject', organization: 'orgId' },
    },
  ],
  safe: true,
  body: z.strictObject({ subject: nameInput, key: nameInput, orgId: nameInput }),
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
