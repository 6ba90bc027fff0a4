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
import { DirectoryEntryModel } from '../../models/identity/directory-entry.ts';
import { DirectoryKeyModel } from '../../models/identity/directory-key.ts';
import { ErasureModel } from '../../models/identity/erasure.ts';
import { FailedRequestModel } from '../../models/identity/failed-request.ts';
import { FirstRunModel } from '../../models/identity/first-run.ts';
import { InvitationModel } from '../../models/identity/invitation.ts';
import { MailedTokenModel } from '../../models/identity/mailed-token.ts';
import { OAuthArtifactModel } from '../../models/identity/oauth-artifact.ts';
import { OAuthClientModel } from '../../models/identity/oauth-client.ts';
import { OAuthConsentModel } from '../../models/identity/oauth-consent.ts';
import { OAuthRevokedTokenModel } from '../../models/identity/oauth-revoked-token.ts';
import { OrganizationModel } from '../../models/identity/organization.ts';
import { OrganizationLogoModel } from '../../models/identity/organization-logo.ts';
import { RegistrationPolicyModel } from '../../models/identity/registration-policy.ts';
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
import { checkRegistration, confirmRegistration, register } from './accounts/register.ts';
import { resetPassword } from './accounts/reset-password.ts';
import { checkReturnTo } from './accounts/return-to.ts';
import { sendRecovery } from './accounts/send-recovery.ts';
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
import { appendAuditRecord, listAuditRecords, readAuditRecord, sweepAuditWindows } from './audit-log.ts';
import { resumeUnfinishedDeletions } from './completion.ts';
import { createContact, listContacts, removeContact, updateContact } from './contacts.ts';
import { createInvitation, resendInvitation } from './create-invitation.ts';
import { createOrganization, trustOrganization } from './create-organization.ts';
import { exportMe } from './export-me.ts';
import { firstRun, firstRunMixin } from './first-run.ts';
import { listInvitations, previewInvitation, revokeInvitation } from './invitations.ts';
import { logoActions } from './logo.ts';
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
import { listSigningKeys, rotateOldSigningKeys } from './oauth/signing-keys.ts';
import { readClaims, revokeToken, verifyToken } from './oauth/tokens.ts';
import {
  createOAuthClient,
  deleteOAuthClient,
  listRedirectOrigins,
  markFirstParty,
  markThirdParty,
  readOAuthClient,
} from './oauth-clients.actions.ts';
import { deletionConsoleActions } from './operator.ts';
import { operatedClientActions } from './operators/clients.ts';
import { figureActions } from './operators/figures.ts';
import { operatedOrganizationActions } from './operators/organizations.ts';
import { platformActions } from './operators/platform.ts';
import { registrationActions } from './operators/registration.ts';
import { operatorRoleActions } from './operators/role.ts';
import { suspensionActions } from './operators/suspension.ts';
import { operatedUserActions } from './operators/users.ts';
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
import { appearancePages } from './pages/appearance.ts';
import { consoleApplicationsPages } from './pages/console/applications.ts';
import { consoleIndexPages } from './pages/console/console-index.ts';
import { consoleInvitationsPages } from './pages/console/invitations.ts';
import { logPages } from './pages/console/logs.ts';
import { overviewPages } from './pages/console/overview.ts';
import { searchPages } from './pages/console/search.ts';
import { consoleSettingsPages } from './pages/console/settings.ts';
import { consoleUsersPages } from './pages/console/users.ts';
import { contactConfirmationPages } from './pages/contact-confirmation.ts';
import { invitationPages } from './pages/invitations.ts';
import { loginPages, logoutPages } from './pages/login.ts';
import { operatorBackupsPages } from './pages/operator/backups.ts';
import { operatorJobsPages } from './pages/operator/jobs.ts';
import { operatorNodesPages } from './pages/operator/nodes.ts';
import { operatorOrganizationPages } from './pages/operator/organization.ts';
import { operatorOrganizationsPages } from './pages/operator/organizations.ts';
import { operatorOverviewPages } from './pages/operator/overview.ts';
import { operatorQueuesPages } from './pages/operator/queues.ts';
import { operatorRegistrationPages } from './pages/operator/registration.ts';
import { operatorUsersPages } from './pages/operator/users.ts';
import { recoveryPages } from './pages/recovery.ts';
import { registrationPages } from './pages/registration.ts';
import { leavePages } from './pages/return-to.ts';
import { galleryPages } from './pages/shared.ts';
import { eraseRequestsAbout, recordFailedRequests, sweepFailedRequests } from './requests/record.ts';
import { listFailedRequests, readFailedRequest } from './requests/requests.ts';
import { sweepAccounts, sweepOAuth } from './retention.ts';
import { securityActions } from './security.ts';
import { endSession, listSessions, revokeOtherSessions, revokeSession, sweepSessions } from './sessions.ts';
import { restoreMember, suspendMember } from './suspend-member.ts';
import { readStanding } from './suspension.ts';
import { listUserContacts } from './user-contacts.ts';
import { listUserSessions, revokeUserSession, revokeUserSessions } from './user-sessions.ts';
import { listUsers, readUser } from './users.actions.ts';
import { verifyApiKey } from './verify-api-key.ts';
import { verifySession } from './verify-session.ts';

const models = [
  OrganizationModel,
  OrganizationLogoModel,
  ApplicationModel,
  ApiKeyModel,
  OAuthClientModel,
  UserModel,
  DirectoryEntryModel,
  DirectoryKeyModel,
  SessionModel,
  AttemptsModel,
  MailedTokenModel,
  AuditRecordModel,
  AuditRetentionModel,
  AuditWindowModel,
  FailedRequestModel,
  FirstRunModel,
  InvitationModel,
  RegistrationPolicyModel,
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
  metadata: { erasesCustomers: 'customers.erase' },
  mixins: [
    // Idempotency and erasure records belong to all services; the sweeps run here because identity is always present.
    cron({ name: 'platform.idempotency', period: everyMinutes(60), run: sweepIdempotencyRecords }),
    cron({ name: 'platform.erasures', period: daily, run: sweepErasureRecords }),
    cron({ name: 'identity.accounts', period: everyMinutes(60), run: (_period, signal) => sweepAccounts(signal) }),
    accountMails,
    resumeUnfinishedDeletions(),
    cron({ name: 'identity.audit', period: everyMinutes(60), run: (_period, signal) => sweepAuditWindows(signal) }),
    cron(sweeping('identity.audit-records', daily, sweepAuditRecords)),
    cron(sweeping('identity.requests', everyMinutes(60), sweepFailedRequests)),
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
    'accounts.check-registration': checkRegistration,
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
    'requests.record': recordFailedRequests,
    'customers.erase': eraseRequestsAbout,
    'requests.list': listFailedRequests,
    'requests.read': readFailedRequest,
    'users.list': listUsers,
    'users.read': readUser,
    'users.list-contacts': listUserContacts,
    'users.list-sessions': listUserSessions,
    'users.revoke-session': revokeUserSession,
    'users.revoke-sessions': revokeUserSessions,
    'users.send-recovery': sendRecovery,
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
    'audit.read': readAuditRecord,
    'console.record': recordCommand,
    'console.audit': describeAudit,
    ...deletionConsoleActions,
    ...operatorRoleActions,
    ...operatedOrganizationActions,
    ...suspensionActions,
    ...operatedUserActions,
    ...operatedClientActions,
    ...platformActions,
    ...figureActions,
    ...registrationActions,
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
    ...logoActions,
    ...securityActions,
    'organizations.standing': readStanding,
    'organizations.owners': listOwners,
    'console.trust': trustOrganization,
    'members.list': listMembers,
    'members.update': updateMember,
    'members.remove': removeMember,
    'members.suspend': suspendMember,
    'members.restore': restoreMember,
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
    ...consoleIndexPages,
    ...overviewPages,
    ...searchPages,
    ...consoleApplicationsPages,
    ...logPages,
    ...consoleSettingsPages,
    ...consoleUsersPages,
    ...consoleInvitationsPages,
    ...operatorOverviewPages,
    ...operatorOrganizationsPages,
    ...operatorOrganizationPages,
    ...operatorUsersPages,
    ...operatorRegistrationPages,
    ...operatorBackupsPages,
    ...operatorNodesPages,
    ...operatorQueuesPages,
    ...operatorJobsPages,
    ...appearancePages,
    ...galleryPages,
    'sessions.verify': verifySession,
    'sessions.end': endSession,
    'sessions.list': listSessions,
    'sessions.revoke': revokeSession,
    'sessions.revoke-others': revokeOtherSessions,
  },
};

export default identity;
