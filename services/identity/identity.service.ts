import type { Service, ServiceSchema } from 'moleculer';
import { idempotencyIndexes, sweepIdempotencyRecords } from '../../lib/idempotency.ts';
import { cron, everyMinutes } from '../../mixins/cron.ts';
import { mongo } from '../../mixins/mongo.ts';
import { ApiKeyModel } from '../../models/identity/api-key.ts';
import { ApplicationModel } from '../../models/identity/application.ts';
import { FirstRunModel } from '../../models/identity/first-run.ts';
import { MembershipModel } from '../../models/identity/membership.ts';
import { OrganizationModel } from '../../models/identity/organization.ts';
import { UserModel } from '../../models/identity/user.ts';
import { createApiKey } from './create-api-key.ts';
import { doFirstRun } from './first-run.ts';
import { listApiKeys } from './list-api-keys.ts';
import { readMe } from './read-me.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { verifyApiKey } from './verify-api-key.ts';

const models = [OrganizationModel, ApplicationModel, ApiKeyModel, UserModel, MembershipModel, FirstRunModel];

/** Who is who: organizations, their applications and users, and the credentials these call with. */
const identity: ServiceSchema = {
  name: 'identity',
  mixins: [
    mongo(...models, idempotencyIndexes),
    // The records are every service's; no platform is without this one.
    cron({ name: 'platform.idempotency', period: everyMinutes(60), run: sweepIdempotencyRecords }),
  ],
  actions: {
    'api-keys.verify': verifyApiKey,
    'api-keys.list': listApiKeys,
    'api-keys.create': createApiKey,
    'api-keys.revoke': revokeApiKey,
    'me.read': readMe,
  },
  started(this: Service) {
    return doFirstRun(this.logger);
  },
};

export default identity;
