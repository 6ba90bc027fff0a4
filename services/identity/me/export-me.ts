import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { now } from '../../../lib/clock.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { addressOutput, exampleAddress, toAddressResponse } from '../addresses/addresses.ts';
import { exampleAuditRecord } from '../audit/list-audit-records.ts';
import { contactOutput, exampleContact, exampleLoginContact, toContactResponse } from '../contacts/contacts.ts';
import { exampleSession, sessionOutput, toSessionResponse } from '../sessions/list-sessions.ts';
import { readCurrentUser } from '../users/current-user.ts';
import {
  applicationOutput,
  membershipOutput,
  ownAuditRecordOutput,
  readApplications,
  readMemberships,
  readOwnAuditRecords,
  readSessions,
} from './export-parts.ts';
import { fitting } from './fitting.ts';
import { exampleUser, toUserResponse, userOutput } from './user-output.ts';

/**
 * The maximum bytes of each list without a separate limit: the answer is one message between nodes, of at most 1 MiB.
 */
const bytesOfList = 64 * 1024;
const bytesOfSessions = 128 * 1024;
const bytesOfAuditRecords = 448 * 1024;

const exportOutput = z
  .strictObject({
    exportedAt: timestamp,
    user: userOutput,
    contacts: z.array(contactOutput),
    addresses: z.array(addressOutput),
    memberships: z.array(membershipOutput),
    sessions: z.array(sessionOutput),
    applications: z.array(applicationOutput),
    auditRecords: z.array(ownAuditRecordOutput),
    /** The lists from which the oldest items were omitted. */
    shortened: z.array(z.enum(['memberships', 'sessions', 'applications', 'auditRecords'])),
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.me.export': typeof exportMe;
  }
}
