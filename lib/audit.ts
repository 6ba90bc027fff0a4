import type { Ctx } from './caller.ts';
import { type CallInput, call } from './calls.ts';

/** A security-relevant act, as `identity.audit.append` takes it. */
export type AuditEvent = CallInput<'identity.audit.append'>['body'];

/**
 * Adds an act to the audit log before the request is answered. The actor, the client's address and the request id come
 * from the context; pass `actor` where the caller is not authenticated yet. `before` and `after` must hold no secret.
 */
export async function recordAuditEvent(ctx: Ctx, act: AuditEvent): Promise<void> {
  await call(ctx, 'identity.audit.append', { body: act });
}
