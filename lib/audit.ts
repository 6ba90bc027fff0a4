import type { Context } from 'moleculer';
import type { RequestMeta } from './caller.ts';
import { type CallInput, call } from './calls.ts';

/** A security-relevant act, as `identity.audit.append` takes it. */
export type Act = CallInput<'identity.audit.append'>['body'];

/**
 * Adds an act to the audit log before the request is answered. The actor, the client's address and the request id come
 * from the context; pass `actor` where the caller is not authenticated yet. `before` and `after` must hold no secret.
 */
export async function recordAct(ctx: Context<unknown, RequestMeta>, act: Act): Promise<void> {
  await call(ctx, 'identity.audit.append', { body: act });
}
