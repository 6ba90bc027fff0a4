import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import { requireActiveOrganization } from '../../../lib/clients/organizations.ts';
import { limitsOf } from '../../../lib/clients/plan-limits.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { decodeCursor, defined, pageOf, pageQuery, toPage } from '../../../lib/contract/input.ts';
import { now } from '../../../lib/data/clock.ts';
import { type SiteDocument, SiteModel } from '../../../models/connect/site.ts';
import { announceSite } from '../conversations/hints.ts';
import { type Choices, defaultChoices, firstSite, makeSite } from './make-site.ts';
import { exampleSite, findSite, siteChoices, siteOutput, sitePath, toSiteResponse } from './sites.ts';

const someChoices = z.strictObject(siteChoices).partial().meta({ id: 'SiteUpdateInput' });
type SomeChoices = z.output<typeof someChoices>;

/** GET /v1/connect/settings: the settings of the organization's first site, which is created on first use. */
export const readSettings = defineAction({
  rest: 'GET /v1/connect/settings',
  summary: 'Read the settings of the first website',
  description: "Returns the settings of the organization's first website, which is created on first use.",
  permission: 'connect.read',
  tenant: 'required',
  input: {},
  output: siteOutput,
  example: { output: exampleSite },
  handler: async ({ caller: { orgId }, ctx }) => toSiteResponse(await firstSite(ctx, orgId)),
});

/** PUT /v1/connect/settings: changes the settings of the first site; absent fields stay unchanged. */
export const writeSettings = defineAction({
  rest: 'PUT /v1/connect/settings',
  summary: 'Change the settings of the first website',
  description:
    "Changes the settings of the organization's first website that the body names; the website is created on first " +
    'use. Widgets show the change within a second.',
  permission: 'connect.settings.write',
  tenant: 'required',
  input: { body: someChoices },
  output: siteOutput,
  errors: ['NOT_FOUND'],
  example: { body: { allowedOrigins: exampleSite.allowedOrigins }, output: exampleSite },
  handler: async ({ body, caller: { orgId }, ctx }) => await change(ctx, await firstSite(ctx, orgId), body),
});

/** GET /v1/connect/sites: the organization's sites, in order of creation. */
export const listSites = defineAction({
  rest: 'GET /v1/connect/sites',
  summary: 'List the websites',
  description: "Returns the organization's websites in the order of their creation.",
  permission: 'connect.read',
  tenant: 'required',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(siteOutput),
  errors: ['CURSOR_INVALID'],
  example: { query: { limit: '20' }, output: { data: [exampleSite], nextCursor: null } },
  async handler({ query: { limit, cursor }, caller: { orgId } }) {
    const [after] = decodeCursor(cursor, 1) ?? [];
    const later = after === undefined ? {} : { _id: { $gt: after } };
    const sites = await SiteModel.find({ orgId, ...later })
      .sort({ _id: 1 })
      .limit(limit + 1)
      .lean<SiteDocument[]>();
    return toPage(sites, limit, ({ _id }) => [_id], toSiteResponse);
  },
});

/** POST /v1/connect/sites: adds a site. */
export const createSite = defineAction({
  rest: 'POST /v1/connect/sites',
  summary: 'Add a website',
  description:
    'Adds a website with its own chat widget. The widget can be embedded only by pages of `allowedOrigins`, which ' +
    'is empty unless you send it. A website beyond the plan is refused with `PLAN_LIMIT_EXCEEDED`.',
  permission: 'connect.settings.write',
  tenant: 'required',
  input: { body: z.strictObject({ ...someChoices.shape, name: siteChoices.name }).meta({ id: 'SiteInput' }) },
  output: siteOutput,
  status: 201,
  errors: ['PLAN_LIMIT_EXCEEDED'],
  idempotent: {
    async resume({ caller: { orgId }, operation, ctx }) {
      const site = await SiteModel.findOne({ orgId, _id: operation.newId('site') }).lean<SiteDocument>();
      return site && (await completeCreation(ctx, operation, site));
    },
  },
  example: {
    body: { name: exampleSite.name, allowedOrigins: exampleSite.allowedOrigins },
    output: { ...exampleSite, hasSecret: false },
  },
  async handler({ body, caller: { orgId }, operation, ctx }) {
    const choices = { ...defaultChoices, ...defined(body) };
    const site = await makeSite({ orgId, id: operation.newId('site') }, choices, await limitsOf(ctx, orgId));
    return await completeCreation(ctx, operation, site);
  },
});

/** GET /v1/connect/sites/:siteId: one site. */
export const readSite = defineAction({
  rest: 'GET /v1/connect/sites/:siteId',
  summary: 'Read a website',
  description: 'Returns the settings of one website. The secret is never shown; `hasSecret` says whether there is one.',
  permission: 'connect.read',
  tenant: 'required',
  input: { path: sitePath },
  output: siteOutput,
  errors: ['NOT_FOUND'],
  example: { path: { siteId: exampleSite.siteId }, output: exampleSite },
  handler: async ({ path: { siteId }, caller: { orgId } }) => toSiteResponse(await findSite(orgId, siteId)),
});

/** PATCH /v1/connect/sites/:siteId: changes a site. Widgets are updated within a second. */
export const updateSite = defineAction({
  rest: 'PATCH /v1/connect/sites/:siteId',
  summary: 'Change a website',
  description:
    'Changes the settings that the body names. Widgets show the change within a second; `enabled: false` turns the ' +
    'widget off everywhere.',
  permission: 'connect.settings.write',
  tenant: 'required',
  input: { path: sitePath, body: someChoices },
  output: siteOutput,
  errors: ['NOT_FOUND'],
  example: { path: { siteId: exampleSite.siteId }, body: { enabled: true }, output: exampleSite },
  async handler({ path: { siteId }, body, caller: { orgId }, ctx }) {
    return await change(ctx, await findSite(orgId, siteId), body);
  },
});

/**
 * DELETE /v1/connect/sites/:siteId: deletes a site. Its conversations stay in the inbox; its visitors can no longer
 * write.
 */
export const deleteSite = defineAction({
  rest: 'DELETE /v1/connect/sites/:siteId',
  summary: 'Remove a website',
  description:
    'Removes a website. Its conversations stay in the inbox, but its visitors can no longer write. This cannot be ' +
    'undone.',
  permission: 'connect.settings.write',
  tenant: 'required',
  input: { path: sitePath },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { path: { siteId: exampleSite.siteId } },
  async handler({ path: { siteId }, caller: { orgId }, ctx }) {
    const { name, allowedOrigins } = await findSite(orgId, siteId);
    const { deletedCount } = await SiteModel.deleteOne({ orgId, _id: siteId });
    if (deletedCount === 0) return;
    await announceSite(ctx, { orgId, siteId, enabled: false });
    await recordAuditEvent(ctx, {
      action: 'site.deleted',
      orgId,
      target: { type: 'site', id: siteId },
      before: { name, allowedOrigins },
    });
  },
});

async function change(ctx: Ctx, before: SiteDocument, body: SomeChoices): Promise<z.output<typeof siteOutput>> {
  const { orgId, _id: siteId } = before;
  const changes = defined(body);
  const names = Object.keys(changes) as (keyof Choices)[];
  if (names.length === 0) return toSiteResponse(before);
  await SiteModel.updateOne({ orgId, _id: siteId }, { $set: { ...changes, updatedAt: now() } });
  const after = await findSite(orgId, siteId);
  await announceSite(ctx, { orgId, siteId, enabled: after.enabled });
  await recordAuditEvent(ctx, {
    action: 'site.updated',
    orgId,
    target: { type: 'site', id: siteId },
    before: Object.fromEntries(names.map((name) => [name, before[name]])),
    after: changes,
  });
  return toSiteResponse(after);
}

/** Completes the operation after the insert. Idempotent. */
async function completeCreation(
  ctx: Ctx,
  operation: Operation,
  site: SiteDocument,
): Promise<z.output<typeof siteOutput>> {
  const { _id, orgId, name, allowedOrigins } = site;
  await requireActiveOrganization(ctx, orgId, () => SiteModel.deleteOne({ orgId, _id }));
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: 'site.created',
    orgId,
    target: { type: 'site', id: _id },
    after: { name, allowedOrigins },
  });
  return toSiteResponse(site);
}
