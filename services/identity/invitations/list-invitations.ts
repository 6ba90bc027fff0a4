import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { type InvitationDocument, InvitationModel } from '../../../models/identity/invitation.ts';
import { organizationPath, orgIdOfSlug } from '../organizations/organizations.ts';
import { exampleInvitation, invitationOutput, toInvitationResponse } from './invitations.ts';

/** GET /organizations/:slug/invitations: the invitations of the last months in every state, the newest first. */
export const listInvitations = defineAction({
  rest: 'GET /organizations/:slug/invitations',
  summary: "List an organization's invitations",
  permission: 'console.orgs.read',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: organizationPath, query: z.strictObject(pageQuery) },
  output: pageOf(invitationOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { slug: 'acme-bikes' },
    query: { limit: '20' },
    output: { data: [exampleInvitation], nextCursor: null },
  },
  async handler({ query, caller: { orgId } }) {
    const before = decodeCursor(query.cursor, 1)?.[0];
    const older = before === undefined ? {} : { _id: { $lt: before } };
    const invitations = await InvitationModel.find({ orgId, ...older })
      .sort({ _id: -1 })
      .limit(query.limit + 1)
      .lean<InvitationDocument[]>();
    return toPage(invitations, query.limit, ({ _id }) => [_id], toInvitationResponse);
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.invitations.list': typeof listInvitations;
  }
}
