import type { ServiceSchema } from 'moleculer';
import { ErasureRecordModel, sweepErasureRecords } from '../../lib/erasure-records.ts';
import { idempotencyIndexes, sweepIdempotencyRecords } from '../../lib/idempotency.ts';
import { cron, daily, everyMinutes, sweeping } from '../../mixins/cron.ts';
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
import { OAuthClientModel } from '../../models/identity/oauth-client.ts';
import { OrganizationModel } from '../../models/identity/organization.ts';
import { ReservationModel } from '../../models/identity/reservation.ts';
import { SessionModel } from '../../models/identity/session.ts';
import { UserModel } from '../../models/identity/user.ts';
import { accountActions, accountMails, sweepAccounts } from './accounts/actions.ts';
import { addressActions } from './addresses/actions.ts';
import { apiKeyActions } from './api-keys/actions.ts';
import { applicationActions } from './applications/actions.ts';
import { auditActions, sweepAuditWindows } from './audit/actions.ts';
import { sweepAuditRecords } from './audit/retention.ts';
import { contactActions } from './contacts/actions.ts';
import { resumeUnfinishedDeletions } from './deletions/completion.ts';
import { deletionConsoleActions } from './deletions/console.ts';
import { firstRun, firstRunMixin } from './first-run.ts';
import { invitationActions } from './invitations/actions.ts';
import { meActions } from './me/actions.ts';
import { oauthActions, oauthModels, sweepOAuth } from './oauth/actions.ts';
import { rotateOldSigningKeys } from './oauth/signing-keys.ts';
import { oauthClientActions } from './oauth-clients/actions.ts';
import { organizationActions } from './organizations/actions.ts';
import { pageActions } from './pages/actions.ts';
import { sessionActions, sweepSessions } from './sessions/actions.ts';
import { userActions } from './users/actions.ts';

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
  ...oauthModels,
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
    ...accountActions,
    ...addressActions,
    ...contactActions,
    ...userActions,
    ...apiKeyActions,
    ...applicationActions,
    ...auditActions,
    ...deletionConsoleActions,
    ...invitationActions,
    ...meActions,
    ...oauthActions,
    ...oauthClientActions,
    ...organizationActions,
    ...pageActions,
    ...sessionActions,
  },
};

export default identity;
