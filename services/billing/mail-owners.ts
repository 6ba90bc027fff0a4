import { unlessMailDisabled } from '../../lib/clients/mail.ts';
import { upgradeUrlOf } from '../../lib/clients/plan-limits.ts';
import { type CallInput, call } from '../../lib/contract/context.ts';

type Mail = CallInput<'mail.system.send'>['body'];

/**
 * A template and its variables, without those that every mail of billing has. Each owner gets one mail for each `key`.
 */
type OwnersMail = { key: string; template: Mail['template']; variables: object };

/** Sends a mail to the owners of an organization, and none if the organization is deleted. */
export async function mailOwners(
  ctx: Parameters<typeof call>[0],
  orgId: string,
  { key, template, variables }: OwnersMail,
): Promise<void> {
  const [{ organization }, { owners }] = await Promise.all([
    call(ctx, 'identity.organizations.describe', { body: { orgId } }),
    call(ctx, 'identity.organizations.owners', { body: { orgId } }),
  ]);
  if (!organization) return;
  const shared = { organizationName: organization.name, billingLink: upgradeUrlOf(orgId), ...variables };
  for (const { userId, email } of owners) {
    // The caller and the mail's schema agree on the variables of each template.
    const body = { key: `${key}:${userId}`, to: email, orgId, template, variables: shared } as Mail;
    await unlessMailDisabled(call(ctx, 'mail.system.send', { body }));
  }
}
