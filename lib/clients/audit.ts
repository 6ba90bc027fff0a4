import { type CallInput, type Ctx, call } from '../contract/context.ts';

/** A security-relevant event, as the input of `identity.audit.append`. */
export type AuditEvent = CallInput<'identity.audit.append'>['body'];

/**
 * Appends an event to the audit log before the request is answered. The actor, the client's address and the request id
 * come from the context; pass `actor` where the caller is not authenticated yet. `before` and `after` must hold no
 * secret.
 */
export async function recordAuditEvent(ctx: Ctx, act: AuditEvent): Promise<void> {
  await call(ctx, 'identity.audit.append', { body: act });
}
