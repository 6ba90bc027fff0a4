import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, pathId, timestamp, toPage } from '../../../lib/contract/input.ts';
import { type ApplicationDocument, ApplicationModel } from '../../../models/identity/application.ts';
import { type OAuthClientDocument, OAuthClientModel } from '../../../models/identity/oauth-client.ts';
import { auditRecordOutput, exampleAuditRecord, readAuditPage } from '../audit-log.ts';
import { findLiveClient } from '../oauth/clients.ts';
import { setFirstParty } from '../oauth-clients.actions.ts';
import { findOrganization } from '../organizations.ts';
import { operatedPath } from './organizations.ts';

const clientOutput = z
  .strictObject({
    clientId: z.string(),
    application: z.string().describe('The name of its application.'),
    origins: z.array(z.string()).describe('The origins of its redirect URIs.'),
    isFirstParty: z.boolean().describe('Whether its users need not give consent.'),
    createdAt: timestamp,
  })
  .meta({ id: 'OperatedClient' });

const example = {
  clientId: exampleId('cli'),
  application: 'Shop',
  origins: ['https://shop.acme-bikes.example'],
  isFirstParty: false,
  createdAt: exampleInstant,
} satisfies z.input<typeof clientOutput>;

function toResponse(client: OAuthClientDocument, application: string): z.output<typeof clientOutput> {
  const { _id: clientId, redirectOrigins: origins, isFirstParty = false, createdAt } = client;
  return { clientId, application, origins, isFirstParty, createdAt: createdAt.toISOString() };
}

/** GET /operator/organizations/:orgId/oauth-clients: the OAuth clients of an organization, the oldest first. */
export const listClients = defineAction({
  rest: 'GET /operator/organizations/:orgId/oauth-clients',
  summary: 'List the OAuth clients of an organization',
  description: 'Returns the OAuth clients of an organization with the origins to which they return, the oldest first.',
  permission: 'operator',
  input: { path: operatedPath, query: z.strictObject(pageQuery) },
  output: pageOf(clientOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: { path: { orgId: exampleId('org') }, query: { limit: '20' }, output: { data: [example], nextCursor: null } },
  async handler({ path: { orgId }, query: { limit, cursor } }) {
    await findOrganization(orgId);
    const after = decodeCursor(cursor, 1)?.[0];
    // An application has one client, so their ids are a range of the index by application.
    const clients = await OAuthClientModel.find({
      orgId,
      ...(after !== undefined && { applicationId: { $gt: after } }),
    })
      .sort({ applicationId: 1 })
      .limit(limit + 1)
      .lean<OAuthClientDocument[]>();
    const ids = clients.map(({ applicationId }) => applicationId);
    const applications = await ApplicationModel.find({ orgId, _id: { $in: ids } }, { name: 1 }).lean<
      Pick<ApplicationDocument, '_id' | 'name'>[]
    >();
    const names = new Map(applications.map(({ _id, name }) => [_id, name]));
    return toPage(
      clients,
      limit,
      ({ applicationId }) => [applicationId],
      (client) => toResponse(client, names.get(client.applicationId) ?? ''),
    );
  },
});

/** PATCH /operator/organizations/:orgId/oauth-clients/:clientId: whether the users of a client need not give consent. */
export const updateClient = defineAction({
  rest: 'PATCH /operator/organizations/:orgId/oauth-clients/:clientId',
  summary: 'Mark an OAuth client as first-party, or end that',
  description:
    'The users of a first-party client need not give consent. Without the mark they must give it, and the grants ' +
    'of the client are revoked. It is recorded in the audit log of the organization.',
  permission: 'operator',
  input: {
    path: operatedPath.extend({ clientId: pathId('cli') }),
    body: z.strictObject({ isFirstParty: clientOutput.shape.isFirstParty }).meta({ id: 'OperatedClientInput' }),
  },
  output: clientOutput,
  errors: ['NOT_FOUND'],
  example: {
    path: { orgId: exampleId('org'), clientId: example.clientId },
    body: { isFirstParty: true },
    output: { ...example, isFirstParty: true },
  },
  async handler({ path: { orgId, clientId }, body: { isFirstParty }, ctx }) {
    const client = await findLiveClient(clientId);
    if (client?.orgId !== orgId) throw apiError('NOT_FOUND');
    await setFirstParty(ctx, client, isFirstParty);
    return toResponse({ ...client, isFirstParty }, client.applicationName);
  },
});

/** GET /operator/organizations/:orgId/audit-log: the acts that concern an organization, the newest first. */
export const listRecords = defineAction({
  rest: 'GET /operator/organizations/:orgId/audit-log',
  summary: 'Read the audit log of an organization as an operator',
  description: 'Returns the security-relevant actions in an organization, the newest first.',
  permission: 'operator',
  input: { path: operatedPath, query: z.strictObject(pageQuery) },
  output: pageOf(auditRecordOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { orgId: exampleId('org') },
    query: { limit: '20' },
    output: { data: [exampleAuditRecord], nextCursor: null },
  },
  async handler({ path: { orgId }, query }) {
    await findOrganization(orgId);
    return await readAuditPage(orgId, {}, query);
  },
});

export const operatedClientActions = {
  'operator.oauth-clients.list': listClients,
  'operator.oauth-clients.update': updateClient,
  'operator.audit.list': listRecords,
};
