import { defineAction } from '../../../lib/action.ts';
import { exampleId } from '../../../lib/examples.ts';
import { subjectOf } from '../assignments/subjects.ts';
import { storeOf } from '../store/access-store.ts';
import { decideByCache } from './cached-decide.ts';
import { checkInput, decisionOutput } from './check-input.ts';
import { awaitRevision } from './decide.ts';

/** POST /access/check: whether a user or an application holds a permission. With `minRevision` it may have to wait. */
export const check = defineAction({
  rest: 'POST /access/check',
  summary: 'Check whether a user or an application holds a permission',
  permission: 'access.check',
  safe: true,
  organization: ({ body }) => body.context?.orgId,
  input: { body: checkInput },
  output: decisionOutput,
  errors: ['NOT_FOUND', 'REVISION_NOT_REACHED'],
  example: {
    body: {
      userId: exampleId('usr', 'grace'),
      permission: 'shop.orders.refund',
      context: { orgId: exampleId('org') },
    },
    output: { allowed: true },
  },
  async handler({ body, caller: { orgId }, ctx }) {
    const store = storeOf(ctx);
    const subject = subjectOf(body);
    if (body.minRevision !== undefined) await awaitRevision(store, orgId, body.minRevision);
    return { allowed: await decideByCache(ctx, store, { orgId, subject, permission: body.permission }) };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.check': typeof check;
  }
}
