import type { Context } from 'moleculer';
import type { RequestMeta } from './caller.ts';
import { type CallInput, call } from './calls.ts';

/** A security-relevant act, as `identity.audit.append` takes it. */
export type Act = CallInput<'identity.audit.append'>['body'];

/**
 * Adds an act to the audit log before the request is answered. Who, from where and under which request id is taken
 * from the context; give `actor` where nobody is authenticated yet. `before` and `after` hold no secret.
 */
export async function recordAct(ctx: Context<unknown, RequestMeta>, act: Act): Promise<void> {
  await call(ctx, 'identity.audit.append', { body: act });
}
