import type { Context } from 'moleculer';
import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { call } from '../../../lib/calls.ts';
import { now } from '../../../lib/clock.ts';
import { settings } from '../../../lib/settings.ts';
import type { SubjectId } from '../graph/changes.ts';
import { type AccessStore, storeOf } from '../store/access-store.ts';
import { countDecision, decide } from './decide.ts';

const question = z.strictObject({
  orgId: z.string(),
  revision: z.int(),
  subject: z.string(),
  permission: z.string(),
});

/**
 * `access.decide`: the answer at one revision of an organization, which Moleculer's cacher may keep for as long as it
 * likes: no change can make it wrong. Null when this node is at another revision by now, or may have missed a change.
 */
export const decideAtRevision = {
  ...defineAction({
    summary: 'Decide whether a subject holds a permission at a revision of its organization',
    permission: 'internal',
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

/**
 * What an answer is kept under. As JSON, in which no two questions read the same: Moleculer's own keys do not escape the
 * quotes that they put around texts.
 */
export function cacheKeyOf(params: unknown): string {
  const { orgId, revision, subject, permission } = (params as { body: z.infer<typeof question> }).body;
  return JSON.stringify(['access.decide', orgId, revision, subject, permission]);
}

/**
 * {@link decide} by the cache that ACCESS_CACHE asks for. What may change by time alone is never kept, nor what a node
 * says that does not know the newest state.
 */
export async function decideByCache(
  ctx: Pick<Context, 'call'>,
  store: AccessStore,
  { orgId, subject, permission }: { orgId: string; subject: SubjectId; permission: string },
): Promise<boolean> {
  const mayCache = settings.ACCESS_CACHE !== 'none' && store.isCurrent() && store.isReadable(orgId);
  const graph = mayCache ? store.org(orgId) : undefined;
  if (!graph || graph.nextExpiryOf(subject, now().getTime()) !== null) return decide(store, orgId, subject, permission);
  const body = { orgId, revision: graph.revision, subject, permission };
  // A cache that others can reach may hold anything.
  const answer: { allowed?: unknown } | null = await call(ctx, 'access.decide', { body });
  const allowed = answer?.allowed;
  return typeof allowed === 'boolean' ? countDecision(allowed) : decide(store, orgId, subject, permission);
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'access.decide': typeof decideAtRevision;
  }
}
