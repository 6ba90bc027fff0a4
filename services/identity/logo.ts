import { hash } from 'node:crypto';
import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { type Ctx, call } from '../../lib/contract/context.ts';
import { bytesAnswer, bytesInput, bytesOutput, maxBrokerBytes } from '../../lib/contract/contract.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { exampleId } from '../../lib/contract/examples.ts';
import { pathId } from '../../lib/contract/input.ts';
import { fromNow, minute, now } from '../../lib/data/clock.ts';
import { nativeCollection } from '../../lib/data/collection.ts';
import { newId } from '../../lib/data/ids.ts';
import { type OrganizationDocument, OrganizationModel } from '../../models/identity/organization.ts';
import {
  logoPrefix,
  type OrganizationLogoDocument,
  OrganizationLogoModel,
} from '../../models/identity/organization-logo.ts';
import {
  exampleOrganization,
  findOrganization,
  organizationOutput,
  organizationPath,
  orgIdOfSlug,
  roleOf,
  toOrganizationResponse,
} from './organizations.ts';

/** The maximum size of an image that is sent: it crosses the broker. */
export const maxLogoBytes = maxBrokerBytes;

/** In pixels: twice the largest size on pages, for dense screens. */
const box = { maxWidth: 480, maxHeight: 240 };

/** An image that no organization names after this time was left by a crash, or by a change that another one overtook. */
const unusedFor = minute;

/**
 * PUT /organizations/:slug/logo: sets the logo. The image is decoded and encoded again, so nothing of the sent file but
 * its pixels is ever served. SVG is refused, because it can hold scripts and refer to other sites.
 */
export const updateLogo = defineAction({
  rest: 'PUT /organizations/:slug/logo',
  summary: 'Set the logo of an organization',
  description:
    'Sets the logo that members and invited people see, and people who log in to its applications. Send the bytes of ' +
    'a PNG, JPEG, WebP, AVIF or GIF of at most 512 KiB. It is stored as a PNG without metadata, reduced to at most ' +
    '480 × 240 pixels; of an animation the first frame. SVG is refused. The address of the logo changes with it.',
  permission: 'console.orgs.write',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  takes: 'bytes',
  input: { path: organizationPath, body: bytesInput },
  output: organizationOutput,
  errors: ['NOT_FOUND', 'RATE_LIMITED'],
  limits: { bodyBytes: maxLogoBytes },
  example: {
    path: { slug: exampleOrganization.slug },
    body: 'iVBORw0KGgo=',
    output: exampleOrganization,
  },
  async handler({ body: source, caller, ctx }) {
    const { orgId } = caller;
    const { png } = await call(ctx, 'storage.system.render-image', {
      body: { orgId, source: source.toString('base64'), ...box },
    });
    const sha256 = hash('sha256', Buffer.from(png, 'base64'));
    const current = await findOrganization(orgId);
    if (!(await isLogo(current, sha256))) await replaceLogo(ctx, orgId, { png, sha256 });
    return toOrganizationResponse(await findOrganization(orgId), roleOf(caller));
  },
});

/** Whether an image is the logo already. */
async function isLogo({ _id: orgId, logoId }: OrganizationDocument, sha256: string): Promise<boolean> {
  if (!logoId) return false;
  return (await OrganizationLogoModel.exists({ orgId, _id: logoId, sha256 })) !== null;
}

async function replaceLogo(
  ctx: Ctx,
  orgId: string,
  { png: base64, sha256 }: { png: string; sha256: string },
): Promise<void> {
  const logo: OrganizationLogoDocument = { _id: newId(logoPrefix), orgId, base64, sha256, createdAt: now() };
  // Stored before the organization names it, so that its address never leads nowhere.
  await nativeCollection<OrganizationLogoDocument>(OrganizationLogoModel).insertOne(logo);
  const before = await nameLogo(orgId, logo._id);
  if (!before) {
    await OrganizationLogoModel.deleteOne({ orgId, _id: logo._id });
    throw apiError('NOT_FOUND');
  }
  await removeImages(orgId, before.logoId ?? null, logo._id);
  await recordChange(ctx, orgId, before.logoId ?? null, logo._id);
}

/** Stores the id of the logo, null for none; returns the organization before, null for one that is gone. */
function nameLogo(orgId: string, logoId: string | null): Promise<OrganizationDocument | null> {
  const change = { $set: { logoId, updatedAt: now() } };
  return OrganizationModel.findOneAndUpdate({ _id: orgId, status: 'active' }, change)
    .lean<OrganizationDocument>()
    .exec();
}

/** Removes the image that was the logo, and those that none names since a crash. */
async function removeImages(orgId: string, previous: string | null, present: string | null): Promise<void> {
  if (previous !== null) await OrganizationLogoModel.deleteOne({ orgId, _id: previous });
  const unused = { orgId, _id: { $ne: present ?? '' }, createdAt: { $lte: fromNow(-unusedFor) } };
  await OrganizationLogoModel.deleteMany(unused);
}

async function recordChange(ctx: Ctx, orgId: string, before: string | null, after: string | null): Promise<void> {
  await recordAuditEvent(ctx, {
    action: 'organization.updated',
    orgId,
    target: { type: 'organization', id: orgId },
    before: { logoId: before },
    after: { logoId: after },
  });
}

/** DELETE /organizations/:slug/logo: removes the logo. */
export const removeLogo = defineAction({
  rest: 'DELETE /organizations/:slug/logo',
  summary: 'Remove the logo of an organization',
  description:
    'Removes the logo; its address is `NOT_FOUND` from now on. Without a logo the answer is `NOT_FOUND` too.',
  permission: 'console.orgs.write',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: organizationPath },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { path: { slug: exampleOrganization.slug } },
  async handler({ caller: { orgId }, ctx }) {
    const noLogo = () => apiError('NOT_FOUND', { message: 'The organization has no logo.' });
    if (!(await findOrganization(orgId)).logoId) throw noLogo();
    const before = await nameLogo(orgId, null);
    if (!before?.logoId) throw noLogo();
    await removeImages(orgId, before.logoId, null);
    await recordChange(ctx, orgId, before.logoId, null);
  },
});

/** The image never changes at its address. The year is the longest time that caches take (RFC 9111). */
const caching = 'public, max-age=31536000, immutable';

/**
 * GET /organizations/:slug/logo/:logoId: the image of the present logo, for everybody. An earlier one is gone, so an
 * older mail shows the name of the organization in its place. The logo of a suspended organization is refused, as its
 * public files are.
 */
export const readLogo = defineAction({
  rest: 'GET /organizations/:slug/logo/:logoId',
  summary: 'Read the logo of an organization',
  description:
    'Returns the PNG at the address in `brand.logoUrl`, without a credential. It never changes, so it may be cached ' +
    'for a year. The address of an earlier logo is `NOT_FOUND`.',
  permission: 'public',
  input: { path: organizationPath.extend({ logoId: pathId(logoPrefix).describe('The id of the logo (`logo_…`).') }) },
  output: bytesOutput,
  answers: 'bytes',
  mediaType: 'image/png',
  errors: ['NOT_FOUND', 'ORGANIZATION_SUSPENDED'],
  exposure: { embedding: 'cross-origin', contentPolicy: "default-src 'none'; sandbox" },
  example: {
    path: { slug: exampleOrganization.slug, logoId: exampleId('logo') },
    output: { type: 'image/png', base64: 'iVBORw0KGgo=' },
  },
  async handler({ path: { slug, logoId }, ctx }) {
    const named = { slug, logoId, status: 'active' as const };
    const organization = await OrganizationModel.findOne(named, { suspension: 1 }).lean<OrganizationDocument>();
    if (organization?.suspension) throw apiError('ORGANIZATION_SUSPENDED');
    const logo = organization && (await findImage(organization._id, logoId));
    if (!logo) throw apiError('NOT_FOUND', { message: 'No logo has this address.' });
    ctx.meta.$responseHeaders = { ...ctx.meta.$responseHeaders, 'Cache-Control': caching };
    return bytesAnswer(Buffer.from(logo.base64, 'base64'), { type: 'image/png', etag: logo.sha256 });
  },
});

function findImage(orgId: string, logoId: string): Promise<OrganizationLogoDocument | null> {
  return OrganizationLogoModel.findOne({ orgId, _id: logoId }).lean<OrganizationLogoDocument>().exec();
}

export const logoActions = {
  'logo.update': updateLogo,
  'logo.remove': removeLogo,
  'logo.read': readLogo,
};
