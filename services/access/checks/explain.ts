import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { now } from '../../../lib/clock.ts';
import { exampleId } from '../../../lib/examples.ts';
import { subjectOf } from '../assignments/subjects.ts';
import { orgOf } from '../granting.ts';
import type { Explanation, Missing } from '../graph/org-graph.ts';
import { storeOf } from '../store/access-store.ts';
import { checkInput } from './check-input.ts';
import { awaitRevision, mayAnswer } from './decide.ts';

const reasons = [
  'SUBJECT_UNKNOWN',
  'PERMISSION_UNKNOWN',
  'NOT_GRANTED',
  'EXPIRED',
] as const satisfies Missing['reason'][];

const explanation = z
  .strictObject({
    allowed: z.boolean(),
    because: z.array(
      z.strictObject({
        assignmentId: z.string(),
        roleId: z.string(),
        permission: z.string(),
        through: z.array(z.string()),
      }),
    ),
    missing: z
      .strictObject({ reason: z.enum([...reasons, 'STALE']), message: z.string(), roles: z.array(z.string()) })
      .nullable(),
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.explain': typeof explain;
  }
}
