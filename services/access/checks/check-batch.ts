import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { resolveOrganization } from '../../../lib/authorize.ts';
import type { Caller } from '../../../lib/caller.ts';
import { inputError } from '../../../lib/errors.ts';
import { exampleId } from '../../../lib/examples.ts';
import { oneSubject, subjectOf } from '../assignments/subjects.ts';
import { storeOf } from '../store/access-store.ts';
import { decisionOutput, minRevision, question } from './check-input.ts';
import { awaitRevision, decide } from './decide.ts';

const maxChecks = 1000;
const bodyBytes = 512 * 1024;

const oneCheck = z.strictObject(question).meta(oneSubject);
const batch = z.strictObject({
  checks: z
    .array(oneCheck)
    .min(1, 'Must have at least one check.')
    .max(maxChecks, `Must have at most ${maxChecks} checks.`),
  minRevision,
});

/**
 * POST /access/check/batch: the answers to many checks, in their order. Each may name an organization of the caller's;
 * the others use the organization that a single check would.
 */
export const checkBatch = defineAction({
  rest: 'POST /access/check/batch',
  summary: 'Check up to 1,000 permissions',
  permission: 'access.check',
  safe: true,
  organization: ({ body: { checks } }) => {
    // The caller's own organization is needed unless every check names one.
    return checks.every(({ context }) => context?.orgId !== undefined) ? checks[0]?.context?.orgId : undefined;
  },
  input: { body: batch },
  output: z.strictObject({ results: z.array(decisionOutput) }),
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
    const asked = checks.map((one, index) => ({
      orgId: one.context?.orgId ?? caller.orgId,
      subject: subjectOf(one, `body.checks.${index}`),
      permission: one.permission,
    }));
    const orgIds = new Set(asked.map(({ orgId }) => orgId));
    for (const orgId of orgIds) requireOrganization(caller, orgId);
    if (revision !== undefined) await awaitRevision(store, onlyOne(orgIds), revision);
    return {
      results: asked.map(({ orgId, subject, permission }) => ({ allowed: decide(store, orgId, subject, permission) })),
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.check-batch': typeof checkBatch;
  }
}
