import { acceptInvitation } from './accept-invitation.ts';
import { createInvitation } from './create-invitation.ts';
import { listInvitations } from './list-invitations.ts';
import { previewInvitation } from './preview-invitation.ts';
import { registerAndAccept } from './register-and-accept.ts';
import { resendInvitation } from './resend-invitation.ts';
import { revokeInvitation } from './revoke-invitation.ts';

export const invitationActions = {
  'invitations.create': createInvitation,
  'invitations.list': listInvitations,
  'invitations.resend': resendInvitation,
  'invitations.revoke': revokeInvitation,
  'invitations.accept': acceptInvitation,
  'invitations.preview': previewInvitation,
  'invitations.register-and-accept': registerAndAccept,
};
