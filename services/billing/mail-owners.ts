import { unlessMailDisabled } from '../../lib/clients/mail.ts';
import { upgradeUrlOf } from '../../lib/clients/quota-refusal.ts';
import { type CallInput, call } from '../../lib/contract/context.ts';
import { defaultLanguage, type Language } from '../../lib/format/language.ts';

type Mail = CallInput<'mail.system.send'>['body'];

/**
 * A template and its variables in the language of an owner, without those that every mail of billing has. Each owner gets
 * one mail for each `key`.
 */
type OwnersMail = { key: string; template: Mail['template']; variables: (language: Language) => object };

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
  const shared = { organizationName: organization.name, billingLink: upgradeUrlOf(orgId) };
  for (const { userId, email, language: chosen } of owners) {
    const language = chosen ?? defaultLanguage;
    const mail = { key: `${key}:${userId}`, to: email, orgId, language };
    // The caller and the mail's schema agree on the variables of each template.
    const body = { ...mail, template, variables: { ...shared, ...variables(language) } } as Mail;
    await unlessMailDisabled(call(ctx, 'mail.system.send', { body }));
  }
}
