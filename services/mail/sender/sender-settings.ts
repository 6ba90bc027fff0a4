import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAct } from '../../../lib/audit.ts';
import { now } from '../../../lib/clock.ts';
import { failInput } from '../../../lib/errors.ts';
import { settings } from '../../../lib/settings.ts';
import { createShortMemory } from '../../../lib/short-memory.ts';
import { lineOfText } from '../../../lib/text.ts';
import { type SenderSettingsDocument, SenderSettingsModel } from '../../../models/mail/sender-settings.ts';
import { mailAddress } from '../messages/addresses.ts';
import { type SenderAddress, senderAddress } from './sender-address.ts';

const output = z.strictObject({
  fromName: z.string(),
  from: z.string(),
  replyTo: z.string().nullable(),
});

const example = { fromName: 'Acme Bikes', from: 'no-reply@example.com', replyTo: 'service@acme-bikes.example' };

/** GET /v1/mail/settings: how the organization's mail names its sender. */
export const readSettings = defineAction({
  rest: 'GET /v1/mail/settings',
  summary: 'Read the sender of mail',
  permission: 'mail.read',
  tenant: 'required',
  input: {},
  output,
  example: { output: example },
  handler: async ({ caller: { orgId } }) => show(await senderOf(orgId)),
});

/**
 * PUT /v1/mail/settings: chooses it. The address stays the platform's, unless the operator allows its domain; what is
 * left out becomes the platform's again.
 */
export const writeSettings = defineAction({
  rest: 'PUT /v1/mail/settings',
  summary: 'Change the sender of mail',
  permission: 'mail.settings.write',
  tenant: 'required',
  input: {
    body: z.strictObject({
      fromName: lineOfText(100).nullable().default(null),
      from: mailAddress.nullable().default(null),
      replyTo: mailAddress.nullable().default(null),
    }),
  },
  output,
  example: { body: { fromName: 'Acme Bikes', replyTo: 'service@acme-bikes.example' }, output: example },
  async handler({ body, caller: { orgId }, ctx }) {
    const from = body.from?.toLowerCase() === senderAddress().address.toLowerCase() ? null : body.from;
    if (from !== null && !isAllowed(from)) {
      const message = 'The operator of the platform does not allow this address; leave it out for the platform’s own.';
      throw failInput([{ path: 'body.from', message }]);
    }
    const set = { fromName: body.fromName, from, replyTo: body.replyTo, updatedAt: now() };
    await SenderSettingsModel.updateOne({ orgId, _id: orgId }, { $set: set }, { upsert: true });
    senders.forget(orgId);
    const after = show(await senderOf(orgId));
    await recordAct(ctx, {
      action: 'mail-sender.updated',
      orgId,
      target: { type: 'organization', id: orgId },
      after,
    });
    return after;
  },
});

function isAllowed(address: string): boolean {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return settings.MAIL_SENDER_DOMAINS.includes(domain);
}

export type Sender = { from: SenderAddress; replyTo: string | null };

const senders = createShortMemory<Sender>();

/** The sender of an organization's mail; a change is in force within half a second on every node. */
export const senderOf = (orgId: string): Promise<Sender> => senders.find(orgId, () => findSender(orgId));

async function findSender(orgId: string): Promise<Sender> {
  const stored = await SenderSettingsModel.findOne({ orgId, _id: orgId }).lean<SenderSettingsDocument>();
  const own = senderAddress();
  // An address that the operator does not allow any more is not used any more.
  const address = stored?.from && isAllowed(stored.from) ? stored.from : own.address;
  return { from: { name: stored?.fromName ?? own.name, address }, replyTo: stored?.replyTo ?? null };
}

function show({ from, replyTo }: Sender): z.output<typeof output> {
  return { fromName: from.name, from: from.address, replyTo };
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'mail.settings.read': typeof readSettings;
    'mail.settings.write': typeof writeSettings;
  }
}
