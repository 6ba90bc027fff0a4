import { type CallInput, call } from '../../../../lib/calls.ts';
import { upgradeUrlOf } from '../../../../lib/quota-errors.ts';
import type { EffectHandler } from '../../subscriptions/effects.ts';

type Mail = CallInput<'mail.system.send'>['body'];

/** Tells the owners of an organization, each once. Of one that is gone there is nobody to tell. */
export const mail: EffectHandler<'mail'> = async (ctx, orgId, { id, template, variables }) => {
  const [{ organization }, { owners }] = await Promise.all([
    call(ctx, 'identity.organizations.describe', { body: { orgId } }),
    call(ctx, 'identity.organizations.owners', { body: { orgId } }),
  ]);
  if (!organization) return;
  const shared = { organizationName: organization.name, billingLink: upgradeUrlOf(orgId), ...variables };
  for (const { userId, email } of owners) {
    const key = `billing:${id}:${userId}`;
    // Which variables each template has, the state machine and the mail's schema agree on.
    const body = { key, to: email, orgId, template, variables: shared } as Mail;
    await call(ctx, 'mail.system.send', { body });
  }
};
