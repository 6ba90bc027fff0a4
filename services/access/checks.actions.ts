import { z } from 'zod';
import { resolveOrganization } from '../../lib/contract/authorize.ts';
import type { Caller } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { inputError } from '../../lib/contract/errors.ts';
import { exampleId } from '../../lib/contract/examples.ts';
import { decideByCache } from './checks-cached.ts';
import { awaitRevision, checkInput, decide, decisionOutput, minRevision, question } from './decide.ts';
import { storeOf } from './store/access-store.ts';
import { oneSubject, subjectOf } from './subjects.ts';

const maxChecks = 1000;
const bodyBytes = 512 * 1024;

const oneCheck = z.strictObject(question).meta(oneSubject).meta({ id: 'AccessQuestionInput' });
const batch = z
  .strictObject({
    checks: z
      .array(oneCheck)
      .min(1, 'Must have at least one check.')
      .max(maxChecks, `Must have at most ${maxChecks} checks.`)
      .describe('The checks, which are answered in this order.'),
    minRevision,
  })
  .meta({ id: 'AccessCheckBatchInput' });

/**
 * POST /access/check/batch: the answers to many checks, in their order. Each may name an organization of the caller's;
 * the others use the organization that a single check would.
 */
export const checkBatch = defineAction({
  rest: 'POST /access/check/batch',
  summary: 'Check up to 1,000 permissions',
  description:
    'Answers up to 1,000 checks in one request, in the order in which they were sent. Checks may be about ' +
    'different organizations of the caller; with `minRevision` all must be about the same one. One check that ' +
    'names an organization you do not belong to refuses the request with `NOT_FOUND`.',
  permission: 'access.check',
  safe: true,
  organization: ({ body: { checks } }) => {
    // The caller's own organization is needed unless every check names one.
    return checks.every(({ context }) => context?.orgId !== undefined) ? checks[0]?.context?.orgId : undefined;
  },
  input: { body: batch },
  output: z
    .strictObject({ results: z.array(decisionOutput).describe('The answers, in the order of the checks.') })
    .meta({ id: 'AccessDecisionBatch' }),
  errors: ['NOT_FOUND', 'REVISION_NOT_REACHED'],
  limits: { bodyBytes },
  example: {
    body: {
      checks: [
        {
          userId: exampleId('usr', 'grace'),
          permission: 'shop.orders.refund',
          context: { orgId: exampleId('org') },
        },
        {
          applicationId: exampleId('app'),
          permission: 'console.users.read',
          context: { orgId: exampleId('org') },
        },
      ],
    },
    output: { results: [{ allowed: true }, { allowed: false }] },
  },
  async handler({ body: { checks, minRevision: revision }, caller, ctx }) {
    const store = storeOf(ctx);
    const indexed = checks.map((one, index) => ({
      orgId: one.context?.orgId ?? caller.orgId,
      subject: subjectOf(one, `body.checks.${index}`),
      permission: one.permission,
    }));
    const orgIds = new Set(indexed.map(({ orgId }) => orgId));
    for (const orgId of orgIds) requireOrganization(caller, orgId);
    if (revision !== undefined) await awaitRevision(store, onlyOne(orgIds), revision);
    return {
      results: indexed.map(({ orgId, subject, permission }) => ({
        allowed: decide(store, orgId, subject, permission),
      })),
    };
  },
});

/** Requires an organization as a single check does: NOT_FOUND for a foreign one. */
function requireOrganization(caller: Caller, orgId: string): void {
  if (orgId !== caller.orgId) resolveOrganization('access.check', { caller }, orgId);
}

function onlyOne(orgIds: Set<string>): string {
  const [orgId, ...others] = orgIds;
  if (orgId !== undefined && others.length === 0) return orgId;
  throw inputError([
    { path: 'body.minRevision', message: 'Revisions are per organization: all checks must be of one organization.' },
  ]);
}

/** POST /access/check: whether a user or an application holds a permission. With `minRevision` it may have to wait. */
export const check = defineAction({
  rest: 'POST /access/check',
  summary: 'Check whether a user or an application holds a permission',
  description:
    'Answers whether a user or an application holds a permission now, by all of its roles. Unknown users, ' +
    'applications and permissions are denied, not refused. To see a change you have just made, send its ' +
    '`Access-Revision` header as `minRevision`: the check waits for it for up to two seconds, then answers ' +
    '`REVISION_NOT_REACHED`.',
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
