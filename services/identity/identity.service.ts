import type { Service, ServiceSchema } from 'moleculer';
import { idempotencyIndexes, sweepIdempotencyRecords } from '../../lib/idempotency.ts';
import { cron, everyMinutes } from '../../mixins/cron.ts';
import { mongo } from '../../mixins/mongo.ts';
import { ApiKeyModel } from '../../models/identity/api-key.ts';
import { ApplicationModel } from '../../models/identity/application.ts';
import { AuditRecordModel } from '../../models/identity/audit-record.ts';
import { FirstRunModel } from '../../models/identity/first-run.ts';
import { MembershipModel } from '../../models/identity/membership.ts';
import { OAuthClientModel } from '../../models/identity/oauth-client.ts';
import { OrganizationModel } from '../../models/identity/organization.ts';
import { SessionModel } from '../../models/identity/session.ts';
import { UserModel } from '../../models/identity/user.ts';
import { apiKeyActions } from './api-keys/actions.ts';
import { auditActions } from './audit/actions.ts';
import { doFirstRun } from './first-run.ts';
import { meActions } from './me/actions.ts';
import { sessionActions, sweepSessions } from './sessions/actions.ts';

const models = [
  OrganizationModel,
  ApplicationModel,
  ApiKeyModel,
  OAuthClientModel,
  UserModel,
  SessionModel,
  MembershipModel,
  AuditRecordModel,
  FirstRunModel,
];

/** Who is who: organizations, their applications and users, and the credentials these call with. */
const identity: ServiceSchema = {
  name: 'identity',
  mixins: [
    mongo(...models, idempotencyIndexes),
    // The records are every service's; no platform is without this one.
    cron({ name: 'platform.idempotency', period: everyMinutes(60), run: sweepIdempotencyRecords }),
    cron({ name: 'identity.sessions', period: everyMinutes(60), run: sweepSessions }),
  ],
  actions: {
    ...apiKeyActions,
    ...auditActions,
    ...meActions,
    ...sessionActions,
  },
  started(this: Service) {
    return doFirstRun(this.logger);
  },
};

export default identity;
