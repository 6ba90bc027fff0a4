import { z } from 'zod';
import { type CallContext, call } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { now } from '../../lib/data/clock.ts';
import { settings } from '../../lib/settings/settings.ts';
import { countDecision, decide } from './decide.ts';
import type { SubjectId } from './graph/changes.ts';
import { type AccessStore, storeOf } from './store/access-store.ts';

const question = z.strictObject({
  orgId: z.string(),
  revision: z.int(),
  subject: z.string(),
  permission: z.string(),
});

/**
 * `access.decide`: the answer at one revision of an organization. Moleculer's cacher may keep it for any time, because
 * no change can make it wrong. Null when this node is at another revision by now, or may have missed a change.
 */
export const decideAtRevision = {
  ...defineAction({
    summary: 'Decide whether a subject holds a permission at a revision of its organization',
    permission: 'internal',
    safe: true,
    input: { body: question },
    output: z.strictObject({ allowed: z.boolean().nullable() }),
    handler({ body: { orgId, revision, subject, permission }, ctx }) {
      const store = storeOf(ctx);
      const graph = store.isCurrent() && store.isReadable(orgId) ? store.org(orgId) : undefined;
      const isThere = graph?.revision === revision;
      return Promise.resolve({ allowed: isThere ? graph.check(subject, permission, now().getTime()) : null });
    },
  }),
  cache: { keygen: (_action: unknown, _options: unknown, ctx: { params: unknown }) => cacheKeyOf(ctx.params) },
};

/** The cache key of an answer. As JSON, which is unambiguous: Moleculer's own keys do not escape quotes in texts. */
export function cacheKeyOf(params: unknown): string {
  const { orgId, revision, subject, permission } = (params as { body: z.infer<typeof question> }).body;
  return JSON.stringify(['access.decide', orgId, revision, subject, permission]);
}

/**
 * {@link decide} with the cache that ACCESS_CACHE configures. An answer is not cached if it changes by time alone, or
 * if this node may have missed a change.
 */
export async function decideByCache(
  ctx: CallContext,
  store: AccessStore,
  { orgId, subject, permission }: { orgId: string; subject: SubjectId; permission: string },
): Promise<boolean> {
  const mayCache = settings.ACCESS_CACHE !== 'none' && store.isCurrent() && store.isReadable(orgId);
  const graph = mayCache ? store.org(orgId) : undefined;
  if (!graph || graph.nextExpiryOf(subject, now().getTime()) !== null) return decide(store, orgId, subject, permission);
  const body = { orgId, revision: graph.revision, subject, permission };
  // A shared cache may contain anything.
  const answer: { allowed?: unknown } | null = await call(ctx, 'access.decide', { body });
  const allowed = answer?.allowed;
  return typeof allowed === 'boolean' ? countDecision(allowed) : decide(store, orgId, subject, permission);
}
