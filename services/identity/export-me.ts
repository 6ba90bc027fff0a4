import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import { systemRoles } from '../../lib/contract/authorize.ts';
import type { CallContext } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { timestamp } from '../../lib/contract/input.ts';
import { now } from '../../lib/data/clock.ts';
import { type AuditRecordDocument, AuditRecordModel, platformLog } from '../../models/identity/audit-record.ts';
import { type OAuthConsentDocument, OAuthConsentModel } from '../../models/identity/oauth-consent.ts';
import { type OrganizationDocument, OrganizationModel } from '../../models/identity/organization.ts';
import { type SessionDocument, SessionModel } from '../../models/identity/session.ts';
import { addressOutput, exampleAddress, toAddressResponse } from './addresses.ts';
import { auditRecordOutput, exampleAuditRecord, toAuditRecordResponse } from './audit-log.ts';
import { contactOutput, exampleContact, exampleLoginContact, toContactResponse } from './contacts.ts';
import { exampleUser, toUserResponse, userOutput } from './me.ts';
import { findMembership, membershipsOf } from './members.ts';
import { exampleSession, sessionOutput, toSessionResponse } from './sessions.ts';
import { readCurrentUser } from './users.ts';

/** More rows than fit into an export in any case. */
const maxRows = 2000;

const membershipOutput = z
  .strictObject({
    orgId: z.string(),
    slug: z.string().nullable(),
    name: z.string().nullable(),
    role: z.enum(systemRoles),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Membership' });

/** The scopes that a user has allowed an application's client. */
const applicationOutput = z
  .strictObject({
    clientId: z.string(),
    scopes: z.array(z.string()),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'GrantedScopes' });

/** `log` is the organization whose log holds the act, or `platform`. */
const ownAuditRecordOutput = auditRecordOutput
  .extend({ log: z.string().describe('The id of the organization whose log has the record, or `platform`.') })
  .meta({ id: 'OwnAuditRecord' });

/** The newest organization first. */
async function readMemberships(ctx: CallContext, userId: string): Promise<z.output<typeof membershipOutput>[]> {
  const ids = (await membershipsOf(ctx, userId)).map(({ orgId }) => orgId).reverse();
  const organizations = await OrganizationModel.find({ _id: { $in: ids } }).lean<OrganizationDocument[]>();
  const organizationsById = new Map(organizations.map((organization) => [organization._id, organization]));
  const memberships = await Promise.all(ids.map((orgId) => findMembership(ctx, orgId, userId)));
  return memberships.flatMap((membership, index) => {
    if (!membership) return [];
    const { role, createdAt, updatedAt } = membership;
    const orgId = ids[index] as string;
    const { slug = null, name = null } = organizationsById.get(orgId) ?? {};
    return [{ orgId, slug, name, role, createdAt, updatedAt }];
  });
}

/** The newest first, also those that have expired and await the sweep. */
function readSessions(userId: string): Promise<SessionDocument[]> {
  return SessionModel.find({ userId }).sort({ _id: -1 }).limit(maxRows).lean<SessionDocument[]>();
}

async function readApplications(userId: string): Promise<z.output<typeof applicationOutput>[]> {
  const consents = await OAuthConsentModel.find({ userId })
    .sort({ _id: -1 })
    .limit(maxRows)
    .lean<OAuthConsentDocument[]>();
  return consents.map(({ clientId, scopes, ...times }) => ({ clientId, scopes, ...isoTimes(times) }));
}

/** The user's acts, the newest first, from the logs of their organizations and of the platform. */
async function readOwnAuditRecords(ctx: CallContext, userId: string): Promise<z.output<typeof ownAuditRecordOutput>[]> {
  const logs = [platformLog, ...(await membershipsOf(ctx, userId)).map(({ orgId }) => orgId)];
  let newest: AuditRecordDocument[] = [];
  for (const orgId of logs) {
    const records = await AuditRecordModel.find({ orgId, 'actor.id': userId })
      .sort({ _id: -1 })
      .limit(maxRows)
      .lean<AuditRecordDocument[]>();
    newest = [...newest, ...records].sort(byNewest).slice(0, maxRows);
  }
  return newest.map((record) => ({ ...toAuditRecordResponse(record), log: record.orgId }));
}

function byNewest(one: AuditRecordDocument, other: AuditRecordDocument): number {
  return one._id < other._id ? 1 : -1;
}

function isoTimes({ createdAt, updatedAt }: { createdAt: Date; updatedAt: Date }) {
  return { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

/** The first items whose JSON fits into `bytesMax` bytes, and whether there are more. */
function fitting<T>(items: T[], bytesMax: number): { items: T[]; isShortened: boolean } {
  let bytes = 0;
  const tooMany = items.findIndex((item) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    return bytes > bytesMax;
  });
  return tooMany === -1 ? { items, isShortened: false } : { items: items.slice(0, tooMany), isShortened: true };
}

/**
 * The maximum bytes of each list without a separate limit: the answer is one message between nodes, of at most 1 MiB.
 */
const bytesOfList = 64 * 1024;
const bytesOfSessions = 128 * 1024;
const bytesOfAuditRecords = 448 * 1024;

const exportOutput = z
  .strictObject({
    exportedAt: timestamp.describe('When the export was made.'),
    user: userOutput.describe('The profile.'),
    contacts: z.array(contactOutput).describe('The contacts.'),
    addresses: z.array(addressOutput).describe('The addresses.'),
    memberships: z.array(membershipOutput).describe('The organizations of the user.'),
    sessions: z.array(sessionOutput).describe('The sessions, including expired ones that are not removed yet.'),
    applications: z.array(applicationOutput).describe('What the user granted to applications.'),
    auditRecords: z.array(ownAuditRecordOutput).describe("The user's own actions in the audit logs."),
    shortened: z
      .array(z.enum(['memberships', 'sessions', 'applications', 'auditRecords']))
      .describe('The lists from which the oldest items were omitted.'),
  })
  .meta({ id: 'UserExport' });

/**
 * GET /identity/me/export: everything that is stored about the current user, as a file: the profile, contacts,
 * addresses, memberships, sessions, the applications they have granted access, and their acts according to the audit
 * logs of their organizations. It contains no password, token or hash. Where one of the lists is longer than fits, the
 * newest are shown, and `shortened` names it.
 */
export const exportMe = defineAction({
  rest: 'GET /identity/me/export',
  summary: 'Export everything stored about you',
  description:
    'Returns everything that is stored about the user as a file: profile, contacts, addresses, memberships, ' +
    'sessions, granted applications, and their actions in the audit logs. It contains no password, token or hash. ' +
    'A list that does not fit shows its newest items, and `shortened` names it.',
  permission: 'session',
  input: {},
  output: exportOutput,
  example: {
    output: {
      exportedAt: exampleInstant,
      user: exampleUser,
      contacts: [exampleLoginContact, exampleContact],
      addresses: [exampleAddress],
      memberships: [
        {
          orgId: exampleId('org'),
          slug: 'acme-bikes',
          name: 'Acme Bikes',
          role: 'owner',
          createdAt: exampleInstant,
          updatedAt: exampleInstant,
        },
      ],
      sessions: [exampleSession],
      applications: [
        {
          clientId: exampleId('cli'),
          scopes: ['openid', 'profile', 'email', 'offline_access'],
          createdAt: exampleInstant,
          updatedAt: exampleInstant,
        },
      ],
      auditRecords: [{ ...exampleAuditRecord, log: exampleId('org') }],
      shortened: [],
    },
  },
  async handler({ caller, ctx }) {
    const user = await readCurrentUser(caller.id);
    const lists = {
      memberships: fitting(await readMemberships(ctx, user._id), bytesOfList),
      sessions: fitting(await readSessions(user._id), bytesOfSessions),
      applications: fitting(await readApplications(user._id), bytesOfList),
      auditRecords: fitting(await readOwnAuditRecords(ctx, user._id), bytesOfAuditRecords),
    };
    await recordAuditEvent(ctx, { action: 'user.exported', userId: user._id, target: { type: 'user', id: user._id } });
    ctx.meta.$responseHeaders = { 'Content-Disposition': 'attachment; filename="account.json"' };
    return {
      exportedAt: now().toISOString(),
      user: await toUserResponse(user, caller),
      contacts: user.contacts.map(toContactResponse),
      addresses: user.addresses.map(toAddressResponse),
      memberships: lists.memberships.items,
      sessions: lists.sessions.items.map((session) => toSessionResponse(session, caller.sessionId)),
      applications: lists.applications.items,
      auditRecords: lists.auditRecords.items,
      shortened: (Object.keys(lists) as (keyof typeof lists)[]).filter((name) => lists[name].isShortened),
    };
  },
});
