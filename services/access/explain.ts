import { z } from 'zod';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId } from '../../lib/contract/examples.ts';
import { decodeCursor, encodeCursor, pageOf, pageQuery, pathId, pathText, toPage } from '../../lib/contract/input.ts';
import { permissionKey } from '../../lib/contract/permissions.ts';
import { now } from '../../lib/data/clock.ts';
import { requireMember } from './assignments.ts';
import { awaitRevision, checkInput, mayAnswer } from './decide.ts';
import { orgOf } from './granting.ts';
import type { Explanation, Missing } from './graph/org-graph.ts';
import { storeOf } from './store/access-store.ts';
import { subjectOf } from './subjects.ts';

const reasons = [
  'SUBJECT_UNKNOWN',
  'SUSPENDED',
  'PERMISSION_UNKNOWN',
  'NOT_GRANTED',
  'EXPIRED',
] as const satisfies Missing['reason'][];

const explanation = z
  .strictObject({
    allowed: z.boolean().describe('Whether the permission is held.'),
    because: z
      .array(
        z
          .strictObject({
            assignmentId: z.string(),
            roleId: z.string(),
            permission: z.string(),
            through: z
              .array(z.string())
              .describe(
                'The included roles between the assigned role and the permission, in order; empty if the assigned ' +
                  'role has it itself.',
              ),
          })
          .meta({ id: 'AccessGrant' }),
      )
      .describe('The assignments that allow it; empty when it is denied.'),
    missing: z
      .strictObject({
        reason: z.enum([...reasons, 'STALE']).describe('The reason as a code.'),
        message: z.string().describe('The reason as a sentence for people.'),
        roles: z.array(z.string()).describe('The ids of the roles that would grant it.'),
      })
      .nullable()
      .describe('Why it is denied; null when it is allowed.'),
  })
  .meta({ id: 'AccessExplanation' });

/** The explanation of a node that denies because it may have missed a change. */
const stale: z.output<typeof explanation> = {
  allowed: false,
  because: [],
  missing: {
    reason: 'STALE',
    message: 'This node cannot confirm that it has every change, and denies until it can.',
    roles: [],
  },
};

/**
 * POST /access/explain: the answer of a check and its reasons: the assignments that allow it, by which role and through
 * which included ones; or what is missing, and which roles would grant it.
 */
export const explain = defineAction({
  rest: 'POST /access/explain',
  summary: 'Explain why a check is allowed or denied',
  description:
    'Answers like a check and says why: the assignments and included roles that allow it, or what is missing and ' +
    "which roles would grant it. Use it to answer a person's question; use the check in programs, because it is " +
    'faster.',
  permission: 'console.access.read',
  safe: true,
  organization: ({ body }) => body.context?.orgId,
  input: { body: checkInput },
  output: explanation,
  errors: ['NOT_FOUND', 'REVISION_NOT_REACHED'],
  example: {
    body: {
      userId: exampleId('usr', 'grace'),
      permission: 'shop.orders.refund',
      context: { orgId: exampleId('org') },
    },
    output: {
      allowed: true,
      because: [
        {
          assignmentId: exampleId('asg'),
          roleId: exampleId('role'),
          permission: 'shop.orders.refund',
          through: [],
        },
      ],
      missing: null,
    },
  },
  async handler({ body, caller: { orgId }, ctx }): Promise<z.output<typeof explanation>> {
    const store = storeOf(ctx);
    const subject = subjectOf(body);
    if (body.minRevision !== undefined) await awaitRevision(store, orgId, body.minRevision);
    if (!mayAnswer(store, orgId)) return stale;
    const found: Explanation = orgOf(ctx, orgId).explain(subject, body.permission, now().getTime());
    return found;
  },
});

/** GET /access/users/:userId/permissions: all permissions of a member by roles, including the platform's own. */
export const listPermissionsOfUser = defineAction({
  rest: 'GET /access/users/:userId/permissions',
  summary: "List a member's permissions",
  description:
    "Returns the keys of all permissions that a member holds now by roles, sorted, including the platform's own. " +
    'Assignments that have expired do not count.',
  permission: 'console.access.read',
  organization: ({ query }) => query.orgId,
  input: {
    path: z.strictObject({ userId: pathId('usr') }),
    query: z.strictObject({
      ...pageQuery,
      orgId: z.string().optional().describe('The id of the organization; by default the one of the credential.'),
    }),
  },
  output: pageOf(z.strictObject({ key: z.string().describe('The permission key.') }).meta({ id: 'HeldPermission' })),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { userId: exampleId('usr', 'grace') },
    query: { limit: '3', orgId: exampleId('org') },
    output: {
      data: [{ key: 'access.check' }, { key: 'billing.read' }, { key: 'connect.read' }],
      nextCursor: encodeCursor(['connect.read']),
    },
  },
  handler({ path: { userId }, query: { limit, cursor }, caller: { orgId }, ctx }) {
    const after = decodeCursor(cursor, 1)?.[0] ?? '';
    const graph = orgOf(ctx, orgId);
    requireMember(graph, userId);
    const keys = graph.permissionsOf(userId, now().getTime()).filter((key) => key > after);
    return toPage(
      keys.slice(0, limit + 1),
      limit,
      (key) => [key],
      (key) => ({ key }),
    );
  },
});

/**
 * GET /access/permissions/:key/users: every member who holds a permission, by id. The pages together omit no member.
 */
export const listUsersWithPermission = defineAction({
  rest: 'GET /access/permissions/:key/users',
  summary: 'List the members who hold a permission',
  description: 'Returns every member who holds a permission now, sorted by user id. All pages together omit no member.',
  permission: 'console.access.read',
  organization: ({ query }) => query.orgId,
  input: {
    path: z.strictObject({
      key: pathText(permissionKey).describe('The permission key, such as `shop.orders.refund`.'),
    }),
    query: z.strictObject({
      ...pageQuery,
      orgId: z.string().optional().describe('The id of the organization; by default the one of the credential.'),
    }),
  },
  output: pageOf(z.strictObject({ userId: z.string() }).meta({ id: 'PermissionHolder' })),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { key: 'shop.orders.refund' },
    query: { limit: '20', orgId: exampleId('org') },
    output: { data: [{ userId: exampleId('usr', 'grace') }], nextCursor: null },
  },
  async handler({ path: { key }, query: { limit, cursor }, caller: { orgId }, ctx }) {
    const after = decodeCursor(cursor, 1)?.[0] ?? null;
    const graph = orgOf(ctx, orgId);
    if (!graph.permission(key)) throw apiError('NOT_FOUND', { message: 'The organization has no such permission.' });
    const range = { after, limit: limit + 1 };
    const userIds = await graph.subjectsWithSliced(key, now().getTime(), 'user', range);
    return toPage(
      userIds,
      limit,
      (userId) => [userId],
      (userId) => ({ userId }),
    );
  },
});
