import type { Context } from 'moleculer';
import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { createTtlCache } from '../../lib/concurrency/ttl-cache.ts';
import { call } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { inputError } from '../../lib/contract/errors.ts';
import { now } from '../../lib/data/clock.ts';
import { emailSpelling, isOfDomains, normalizeEmail } from '../../lib/format/email-address.ts';
import { brandProblem, holdsBrand, publicName, withoutLinks } from '../../lib/format/public-names.ts';
import { type SenderAddress, senderAddress, senderDomains, tenantAddress } from '../../lib/net/sender-address.ts';
import { settings } from '../../lib/settings/settings.ts';
import { type SenderSettingsDocument, SenderSettingsModel } from '../../models/mail/sender-settings.ts';

const output = z
  .strictObject({
    fromName: z.string(),
    from: z.string().describe('The address of the sender.'),
    replyTo: z.string().nullable().describe('The address for answers; null for the one of the sender.'),
  })
  .meta({ id: 'MailSettings' });

const example = { fromName: 'Acme Bikes', from: 'messages@example.com', replyTo: 'service@acme-bikes.example' };

/** GET /v1/mail/settings: the sender name and address of the organization's mail. */
export const readSettings = defineAction({
  rest: 'GET /v1/mail/settings',
  summary: 'Read the sender of mail',
  description:
    "Returns the sender that recipients see, with the platform's defaults where the organization has chosen " +
    'nothing.',
  permission: 'mail.read',
  tenant: 'required',
  input: {},
  output,
  example: { output: example },
  handler: async ({ caller: { orgId }, ctx }) => toSettingsResponse(await settingsOf(ctx, orgId)),
});

/**
 * PUT /v1/mail/settings: sets the sender. Without `from`, the platform's address for organizations is used; another
 * domain needs the operator's permission. Without a name, the organization's name is used.
 */
export const writeSettings = defineAction({
  rest: 'PUT /v1/mail/settings',
  summary: 'Change the sender of mail',
  description:
    "Replaces the sender of the organization's mail; a field that is omitted returns to its default. Without " +
    "`from`, mail comes from the platform's address; an address of your own domain must be allowed by the " +
    'operator. Changes take effect within half a second.',
  permission: 'mail.settings.write',
  tenant: 'required',
  input: {
    body: z
      .strictObject({
        fromName: publicName(100)
          .nullable()
          .default(null)
          .describe('The name of the sender; null for the name of the organization.'),
        from: emailSpelling
          .nullable()
          .default(null)
          .describe("The address of the sender; null for the platform's address."),
        replyTo: emailSpelling
          .nullable()
          .default(null)
          .describe('The address for answers; null for the one of the sender.'),
      })
      .meta({ id: 'MailSettingsInput' }),
  },
  output,
  example: { body: { fromName: 'Acme Bikes', replyTo: 'service@acme-bikes.example' }, output: example },
  async handler({ body, caller: { orgId }, ctx }) {
    const isDefault = body.from !== null && normalizeEmail(body.from) === normalizeEmail(tenantAddress());
    const from = isDefault ? null : body.from;
    await rejectSender(ctx, orgId, { fromName: body.fromName, from });
    const set = { fromName: body.fromName, from, replyTo: body.replyTo, updatedAt: now() };
    await SenderSettingsModel.updateOne({ orgId, _id: orgId }, { $set: set }, { upsert: true });
    senders.forget(orgId);
    const after = toSettingsResponse(await settingsOf(ctx, orgId));
    await recordAuditEvent(ctx, {
      action: 'mail-sender.updated',
      orgId,
      target: { type: 'organization', id: orgId },
      after,
    });
    return after;
  },
});

/** `from`: null means the platform's address for organizations. */
type Chosen = { fromName: string | null; from: string | null };

async function rejectSender(ctx: Context, orgId: string, { fromName, from }: Chosen): Promise<void> {
  if (fromName !== null && holdsBrand(fromName) && !(await describe(ctx, orgId)).isFirst) {
    throw inputError([{ path: 'body.fromName', message: brandProblem }]);
  }
  if (from === null || isAllowed(orgId, from)) return;
  const message =
    'The operator of the platform does not allow this address; leave it out to use the platform’s address.';
  throw inputError([{ path: 'body.from', message }]);
}

/**
 * Whether the operator allows an organization to send from an address. The platform's own address is reserved for its
 * own mail.
 */
function isAllowed(orgId: string, address: string): boolean {
  const normal = normalizeEmail(address);
  if (normal === normalizeEmail(senderAddress().address)) return false;
  return isOfDomains(normal, senderDomains(orgId));
}

export type Sender = { from: SenderAddress; replyTo: string | null };

const organizations = createTtlCache<{ name: string; isFirst: boolean }>();
const senders = createTtlCache<Sender>();

/**
 * The sender of an organization's mail: “Acme via Platform” at an address of the platform, or the organization's name
 * at the organization's address. Changes take effect on every node within half a second.
 */
export async function senderOf(ctx: Context, orgId: string): Promise<Sender> {
  return await senders.find(orgId, async () => {
    const { from, replyTo } = await settingsOf(ctx, orgId);
    if (from.address !== tenantAddress()) return { from, replyTo };
    const { isFirst } = await describe(ctx, orgId);
    return { from: { ...from, name: nameVia(withoutLinks(from.name), isFirst) }, replyTo };
  });
}

/** The name of an organization for the recipients of its mail, on pages of the platform. */
export async function senderNameOf(ctx: Context, orgId: string): Promise<string> {
  const name = withoutLinks((await settingsOf(ctx, orgId)).from.name);
  const isAllowed = !holdsBrand(name) || (await describe(ctx, orgId)).isFirst;
  return name !== '' && isAllowed ? name : anonymousSender();
}

const anonymousSender = (): string => `A customer of ${settings.BRAND_NAME}`;

/** Only the operator's organization may use the platform's name. */
function nameVia(name: string, isFirst: boolean): string {
  const { BRAND_NAME } = settings;
  const isBrand = holdsBrand(name);
  if (isBrand && isFirst) return name;
  return name === '' || isBrand ? anonymousSender() : `${name} via ${BRAND_NAME}`;
}

/** The organization's settings, with defaults. */
async function settingsOf(ctx: Context, orgId: string): Promise<Sender> {
  const stored = await SenderSettingsModel.findOne({ orgId, _id: orgId }).lean<SenderSettingsDocument>();
  // An address that the operator no longer allows is ignored.
  const address = stored?.from && isAllowed(orgId, stored.from) ? stored.from : tenantAddress();
  const name = stored?.fromName ?? (await describe(ctx, orgId)).name;
  return { from: { name, address }, replyTo: stored?.replyTo ?? null };
}

/** The organization's name; empty while identity is unavailable, so that mail does not wait for it. */
async function describe(ctx: Context, orgId: string): Promise<{ name: string; isFirst: boolean }> {
  const unknown = { name: '', isFirst: false };
  const find = async () =>
    await call(ctx, 'identity.organizations.describe', { body: { orgId } }).then(
      ({ organization }) => organization ?? unknown,
    );
  return await organizations.find(orgId, find).catch(() => unknown);
}

function toSettingsResponse({ from, replyTo }: Sender): z.output<typeof output> {
  return { fromName: from.name, from: from.address, replyTo };
}
