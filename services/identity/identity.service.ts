import type { ServiceSchema } from 'moleculer';
import { idempotencyIndexes, sweepIdempotencyRecords } from '../../lib/contract/idempotency.ts';
import { ErasureRecordModel, sweepErasureRecords } from '../../lib/data/erasure-records.ts';
import { cron, daily, everyMinutes, sweeping } from '../../mixins/cron/cron.ts';
import { mongo, mongoIndexes } from '../../mixins/mongo.ts';
import { ApiKeyModel } from '../../models/identity/api-key.ts';
import { ApplicationModel } from '../../models/identity/application.ts';
import { AttemptsModel } from '../../models/identity/attempts.ts';
import { AuditRecordModel } from '../../models/identity/audit-record.ts';
import { AuditRetentionModel } from '../../models/identity/audit-retention.ts';
import { AuditWindowModel } from '../../models/identity/audit-window.ts';
import { DeletionModel } from '../../models/identity/deletion.ts';
import { ErasureModel } from '../../models/identity/erasure.ts';
import { FirstRunModel } from '../../models/identity/first-run.ts';
import { InvitationModel } from '../../models/identity/invitation.ts';
import { MailedTokenModel } from '../../models/identity/mailed-token.ts';
import { OAuthArtifactModel } from '../../models/identity/oauth-artifact.ts';
import { OAuthClientModel } from '../../models/identity/oauth-client.ts';
import { OAuthConsentModel } from '../../models/identity/oauth-consent.ts';
import { OAuthRevokedTokenModel } from '../../models/identity/oauth-revoked-token.ts';
import { OrganizationModel } from '../../models/identity/organization.ts';
import { ReservationModel } from '../../models/identity/reservation.ts';
import { SessionModel } from '../../models/identity/session.ts';
import { SigningKeyModel } from '../../models/identity/signing-key.ts';
import { UserModel } from '../../models/identity/user.ts';
import { acceptInvitation, registerAndAccept } from './accept-invitation.ts';
import { accountMails } from './accounts/account-mails.ts';
import { changeLoginEmail } from './accounts/change-login-email.ts';
import { changePassword } from './accounts/change-password.ts';
import { login } from './accounts/login.ts';
import { beginRecovery, checkRecovery, recover } from './accounts/recovery.ts';
import { confirmRegistration, register } from './accounts/register.ts';
import { resetPassword } from './accounts/reset-password.ts';
import { sweepAccounts } from './accounts/retention.ts';
import { checkReturnTo } from './accounts/return-to.ts';
import { confirmContact, previewContactConfirmation, sendVerification } from './accounts/verify-contact.ts';
import { createAddress, listAddresses, removeAddress, updateAddress } from './addresses.ts';
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.actions.ts';
import {
  checkApplication,
  createApplication,
  deleteApplication,
  listApplications,
  readApplication,
  updateApplication,
} from './applications.ts';
import { describeAudit, recordCommand } from './audit/console.ts';
import { sweepAuditRecords } from './audit/retention.ts';
import { appendAuditRecord, listAuditRecords, sweepAuditWindows } from './audit-log.ts';
import { resumeUnfinishedDeletions } from './completion.ts';
import { createContact, listContacts, removeContact, updateContact } from './contacts.ts';
import { createInvitation, resendInvitation } from './create-invitation.ts';
import { createOrganization, trustOrganization } from './create-organization.ts';
import { exportMe } from './export-me.ts';
import { firstRun, firstRunMixin } from './first-run.ts';
import { listInvitations, previewInvitation, revokeInvitation } from './invitations.ts';
import { deleteMe, readMe, updateMe } from './me.ts';
import { listMembers, listOwners, removeMember, updateMember } from './members.ts';
import {
  consumeArtifact,
  destroyArtifact,
  findArtifact,
  findArtifactByUid,
  revokeGrant,
  upsertArtifact,
} from './oauth/artifacts.ts';
import { findClient } from './oauth/clients.ts';
import {
  findConsent,
  implyConsent,
  listMyApplications,
  rememberConsent,
  withdrawMyApplication,
} from './oauth/consents.ts';
import { revokeGrantsAction } from './oauth/grants.ts';
import { sweepOAuth } from './oauth/retention.ts';
import { listSigningKeys, rotateOldSigningKeys } from './oauth/signing-keys.ts';
import { readClaims, revokeToken, verifyToken } from './oauth/tokens.ts';
import { listRedirectOrigins, markFirstParty, markThirdParty } from './oauth-clients.actions.ts';
import { deletionConsoleActions } from './operator.ts';
import {
  deleteOrganization,
  describeOrganization,
  listOrganizations,
  readOrganization,
  updateOrganization,
} from './organizations.ts';
import { addressesPages } from './pages/account/addresses.ts';
import { contactsPages, loginEmailPages } from './pages/account/contacts.ts';
import { organizationsPages } from './pages/account/organizations.ts';
import { dataPages, profilePages } from './pages/account/profile.ts';
import { applicationsPages, passwordPages, sessionsPages } from './pages/account/sessions.ts';
import { contactConfirmationPages } from './pages/contact-confirmation.ts';
import { invitationPages } from './pages/invitations.ts';
import { loginPages, logoutPages } from './pages/login.ts';
import { recoveryPages } from './pages/recovery.ts';
import { registrationPages } from './pages/registration.ts';
import { leavePages } from './pages/return-to.ts';
import { galleryPages } from './pages/shared.ts';
import { createOAuthClient, deleteOAuthClient, readOAuthClient } from './save-client.ts';
import { endSession, listSessions, revokeOtherSessions, revokeSession, sweepSessions } from './sessions.ts';
import { listUsers, readUser } from './users.actions.ts';
import { verifyApiKey } from './verify-api-key.ts';
import { verifySession } from './verify-session.ts';

const models = [
  OrganizationModel,
  ApplicationModel,
  ApiKeyModel,
  OAuthClientModel,
  UserModel,
  SessionModel,
  AttemptsModel,
  MailedTokenModel,
  AuditRecordModel,
  AuditRetentionModel,
  AuditWindowModel,
  FirstRunModel,
  InvitationModel,
  DeletionModel,
  ErasureModel,
  ReservationModel,
  ErasureRecordModel,
  OAuthArtifactModel,
  OAuthConsentModel,
  OAuthRevokedTokenModel,
  SigningKeyModel,
];

/** Identity: organizations, their applications and users, and the credentials of these. */
const identity: ServiceSchema = {
  name: 'identity',
  mixins: [
    // Idempotency and erasure records belong to all services; the sweeps run here because identity is always present.
    cron({ name: 'platform.idempotency', period: everyMinutes(60), run: sweepIdempotencyRecords }),
    cron({ name: 'platform.erasures', period: daily, run: sweepErasureRecords }),
    cron({ name: 'identity.accounts', period: everyMinutes(60), run: (_period, signal) => sweepAccounts(signal) }),
    accountMails,
    resumeUnfinishedDeletions(),
    cron({ name: 'identity.audit', period: everyMinutes(60), run: (_period, signal) => sweepAuditWindows(signal) }),
    cron(sweeping('identity.audit-records', daily, sweepAuditRecords)),
    cron({ name: 'identity.sessions', period: everyMinutes(60), run: (_period, signal) => sweepSessions(signal) }),
    cron({ name: 'identity.oauth', period: everyMinutes(60), run: (_period, signal) => sweepOAuth(signal) }),
    cron({ name: 'identity.signing-keys', period: daily, run: rotateOldSigningKeys }),
    firstRun,
    mongoIndexes(...models, idempotencyIndexes),
    firstRunMixin,
    mongo(),
  ],
  actions: {
    'accounts.login': login,
    'accounts.register': register,
    'accounts.confirm-registration': confirmRegistration,
    'accounts.begin-recovery': beginRecovery,
    'accounts.check-recovery': checkRecovery,
    'accounts.recover': recover,
    'accounts.change-password': changePassword,
    'accounts.send-verification': sendVerification,
    'accounts.preview-contact-confirmation': previewContactConfirmation,
    'accounts.confirm-contact': confirmContact,
    'accounts.change-login-email': changeLoginEmail,
    'accounts.check-return-to': checkReturnTo,
    'addresses.list': listAddresses,
    'addresses.create': createAddress,
    'addresses.update': updateAddress,
    'addresses.remove': removeAddress,
    'contacts.list': listContacts,
    'contacts.create': createContact,
    'contacts.update': updateContact,
    'contacts.remove': removeContact,
    'users.list': listUsers,
    'users.read': readUser,
    'api-keys.verify': verifyApiKey,
    'api-keys.list': listApiKeys,
    'api-keys.create': createApiKey,
    'api-keys.revoke': revokeApiKey,
    'applications.list': listApplications,
    'applications.read': readApplication,
    'applications.create': createApplication,
    'applications.update': updateApplication,
    'applications.delete': deleteApplication,
    'applications.exists': checkApplication,
    'audit.append': appendAuditRecord,
    'audit.list': listAuditRecords,
    'console.record': recordCommand,
    'console.audit': describeAudit,
    ...deletionConsoleActions,
    'invitations.create': createInvitation,
    'invitations.list': listInvitations,
    'invitations.resend': resendInvitation,
    'invitations.revoke': revokeInvitation,
    'invitations.accept': acceptInvitation,
    'invitations.preview': previewInvitation,
    'invitations.register-and-accept': registerAndAccept,
    'me.read': readMe,
    'me.update': updateMe,
    'me.delete': deleteMe,
    'me.export': exportMe,
    'oauth.artifacts.upsert': upsertArtifact,
    'oauth.artifacts.find': findArtifact,
    'oauth.artifacts.find-by-uid': findArtifactByUid,
    'oauth.artifacts.consume': consumeArtifact,
    'oauth.artifacts.destroy': destroyArtifact,
    'oauth.artifacts.revoke-grant': revokeGrant,
    'oauth.clients.find': findClient,
    'oauth.claims.read': readClaims,
    'oauth.consents.find': findConsent,
    'oauth.consents.remember': rememberConsent,
    'oauth.consents.imply': implyConsent,
    'oauth.my-applications.list': listMyApplications,
    'oauth.my-applications.withdraw': withdrawMyApplication,
    'oauth.revoke-grants': revokeGrantsAction,
    'oauth.signing-keys': listSigningKeys,
    'tokens.verify': verifyToken,
    'tokens.revoke': revokeToken,
    'oauth-clients.create': createOAuthClient,
    'oauth-clients.read': readOAuthClient,
    'oauth-clients.delete': deleteOAuthClient,
    'oauth.redirect-origins': listRedirectOrigins,
    'console.new-password': resetPassword,
    'console.first-party': markFirstParty,
    'console.third-party': markThirdParty,
    'organizations.list': listOrganizations,
    'organizations.read': readOrganization,
    'organizations.create': createOrganization,
    'organizations.update': updateOrganization,
    'organizations.delete': deleteOrganization,
    'organizations.describe': describeOrganization,
    'organizations.owners': listOwners,
    'console.trust': trustOrganization,
    'members.list': listMembers,
    'members.update': updateMember,
    'members.remove': removeMember,
    ...loginPages,
    ...logoutPages,
    ...leavePages,
    ...registrationPages,
    ...recoveryPages,
    ...contactConfirmationPages,
    ...invitationPages,
    ...profilePages,
    ...organizationsPages,
    ...passwordPages,
    ...contactsPages,
    ...loginEmailPages,
    ...addressesPages,
    ...sessionsPages,
    ...applicationsPages,
    ...dataPages,
    ...galleryPages,
    'sessions.verify': verifySession,
    'sessions.end': endSession,
    'sessions.list': listSessions,
    'sessions.revoke': revokeSession,
    'sessions.revoke-others': revokeOtherSessions,
  },
};

export default identity;
