import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleInstant } from '../../../lib/contract/examples.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { timestamp } from '../../../lib/contract/input.ts';
import { now } from '../../../lib/data/clock.ts';
import { decrypt, encrypt } from '../../../lib/security/encryption.ts';
import { type SiteDocument, SiteModel } from '../../../models/connect/site.ts';
import { exampleSite, findSite, sitePath } from './sites.ts';

const purpose = 'connect.site-secret';
const secretBytes = 32;
const prefix = 'wsec_';

const secretOutput = z
  .strictObject({
    siteId: z.string(),
    secret: z.string().describe('The secret (`wsec_…`). It is in this answer only.'),
    createdAt: timestamp,
  })
  .meta({ id: 'SiteSecret' });

/**
 * POST /v1/connect/sites/:siteId/secret: creates the secret that signs the identities of a site's users and shows it
 * once. Immediately invalidates the previous secret and every identity signed by it.
 */
export const createSecret = defineAction({
  rest: 'POST /v1/connect/sites/:siteId/secret',
  summary: 'Make the secret that signs the identities of visitors',
  description:
    'Creates the secret with which your server signs the identities of its users for the widget. It is in this ' +
    'answer only. The previous secret, and every identity signed with it, stop working immediately.',
  permission: 'connect.settings.write',
  tenant: 'required',
  input: { path: sitePath },
  output: secretOutput,
  status: 201,
  errors: ['NOT_FOUND'],
  idempotent: {
    async resume({ path: { siteId }, caller: { orgId }, operation, ctx }) {
      const made = { orgId, _id: siteId, secretOperation: operation.key };
      const site = await SiteModel.findOne(made).lean<SiteDocument>();
      return site && (await complete(ctx, operation, site));
    },
  },
  example: {
    path: { siteId: exampleSite.siteId },
    output: { siteId: exampleSite.siteId, secret: `${prefix}${'x'.repeat(43)}`, createdAt: exampleInstant },
  },
  async handler({ path: { siteId }, caller: { orgId }, operation, ctx }) {
    await findSite(orgId, siteId);
    const secret = `${prefix}${operation.secretBytes('site secret', secretBytes).toString('base64url')}`;
    const made = {
      sealedSecret: encrypt(purpose, secret),
      secretOperation: operation.key,
      secretCreatedAt: now(),
      updatedAt: now(),
    };
    await SiteModel.updateOne({ orgId, _id: siteId }, { $set: made });
    return await complete(ctx, operation, { ...(await findSite(orgId, siteId)), ...made });
  },
});

/** Decrypts the secret of a site; null if it has none. */
export function secretOf({ sealedSecret }: Pick<SiteDocument, 'sealedSecret'>): string | null {
  return sealedSecret === null ? null : decrypt(purpose, sealedSecret);
}

async function complete(ctx: Ctx, operation: Operation, site: SiteDocument): Promise<z.output<typeof secretOutput>> {
  const secret = secretOf(site);
  if (secret === null || site.secretCreatedAt === null) throw apiError('NOT_FOUND');
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: 'site.secret-created',
    orgId: site.orgId,
    target: { type: 'site', id: site._id },
  });
  return { siteId: site._id, secret, createdAt: site.secretCreatedAt.toISOString() };
}
