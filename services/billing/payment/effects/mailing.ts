import { mailOwners } from '../../mail-owners.ts';
import type { EffectHandler } from '../../subscriptions/effects.ts';

/** Mails the owners of an organization, each once. */
export const mail: EffectHandler<'mail'> = (ctx, orgId, { id, template, variables }) =>
  mailOwners(ctx, orgId, { key: `billing:${id}`, template, variables });
