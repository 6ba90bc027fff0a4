import type { ServiceSchema } from 'moleculer';
import { healthRoutes } from '../../http/health-routes.ts';
import { siteService } from '../../http/site-service.ts';
import { releasePrefetched } from '../../lib/quota-allocations.ts';
import { settings } from '../../lib/settings.ts';
import { cron, daily, everyMinutes, sweeping } from '../../mixins/cron.ts';
import { mongo } from '../../mixins/mongo.ts';
import { BucketModel } from '../../models/storage/bucket.ts';
import { BucketNameModel } from '../../models/storage/bucket-name.ts';
import { DerivativeModel } from '../../models/storage/derivative.ts';
import { DerivativeUsageModel } from '../../models/storage/derivative-usage.ts';
import { ObjectModel } from '../../models/storage/object.ts';
import { RecountModel } from '../../models/storage/recount.ts';
import { UploadModel } from '../../models/storage/upload.ts';
import { bucketActions } from './buckets/actions.ts';
import { eraseOrganization } from './cleanup/erase-organization.ts';
import { sweepDeletedBuckets, sweepExpired } from './cleanup/sweep-buckets.ts';
import { sweepDerivatives } from './cleanup/sweep-derivatives.ts';
import { sweepReplacedVersions } from './cleanup/sweep-objects.ts';
import { sweepUnfinishedFiles, sweepUploads } from './cleanup/sweep-uploads.ts';
import { imageTransformerLifecycle } from './images/running-transformer.ts';
import { recountDerivatives } from './images/usage.ts';
import { objectActions } from './objects/actions.ts';
import { publicObjectEvents } from './objects/public-objects.ts';
import { recountChanged } from './quota/recount.ts';
import { settleQuota } from './quota/settle-quota.ts';
import { systemBucketActions } from './system/system-buckets.ts';
import { objectStoreLifecycle } from './transfers/running-store.ts';

const place = { host: settings.HOST, port: settings.STORAGE_PORT, setting: 'STORAGE_PORT' };

/** Stores objects in buckets, and serves them on a separate listener, because bytes never cross the broker. */
const storage: ServiceSchema = {
  name: 'storage',
  metadata: { erases: 'organizations.erase', servedAt: settings.STORAGE_URL },
  mixins: [
    cron(
      sweeping('storage.cleanup', everyMinutes(1), (broker, sweep) => sweepReplacedVersions({ broker }, sweep)),
      sweeping('storage.buckets', everyMinutes(1), (broker, sweep) => sweepDeletedBuckets({ broker }, sweep)),
      sweeping('storage.uploads', everyMinutes(1), (_broker, sweep) => sweepUploads(sweep)),
      sweeping('storage.expiry', everyMinutes(60), (broker, sweep) => sweepExpired({ broker }, sweep)),
      sweeping('storage.derivatives', everyMinutes(60), (_broker, sweep) => sweepDerivatives(sweep)),
      sweeping('storage.derivative-usage', everyMinutes(60), (_broker, sweep) => recountDerivatives(sweep)),
      { name: 'storage.unfinished', period: everyMinutes(15), run: sweepUnfinishedFiles },
      sweeping('storage.recount', daily, (broker, sweep) => recountChanged({ broker }, sweep)),
    ),
    imageTransformerLifecycle(),
    objectStoreLifecycle(),
    mongo(BucketModel, BucketNameModel, ObjectModel, DerivativeModel, DerivativeUsageModel, UploadModel, RecountModel),
    // Starts first, so that it reports alive but not ready while waiting for the database.
    siteService({ own: healthRoutes, place, only: ['storage.**'], hasPages: false }) as unknown as ServiceSchema,
  ],
  actions: {
    ...bucketActions,
    ...objectActions,
    ...systemBucketActions,
    'quota.settle': settleQuota,
    'organizations.erase': eraseOrganization,
  },
  events: publicObjectEvents,
  stopped: releasePrefetched,
};

export default storage;
