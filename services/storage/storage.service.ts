import type { ServiceSchema } from 'moleculer';
import { healthRoutes } from '../../http/health.ts';
import { siteService, storageActions } from '../../http/site-service.ts';
import { standingEvents } from '../../lib/clients/organizations.ts';
import { releasePrefetched } from '../../lib/clients/quota-batches.ts';
import { settings } from '../../lib/settings/settings.ts';
import { cron, daily, everyMinutes, sweeping } from '../../mixins/cron/cron.ts';
import { mongo } from '../../mixins/mongo.ts';
import { BucketModel } from '../../models/storage/bucket.ts';
import { BucketNameModel } from '../../models/storage/bucket-name.ts';
import { DerivativeModel } from '../../models/storage/derivative.ts';
import { DerivativeUsageModel } from '../../models/storage/derivative-usage.ts';
import { ObjectModel } from '../../models/storage/object.ts';
import { RecountModel } from '../../models/storage/recount.ts';
import { UploadModel } from '../../models/storage/upload.ts';
import { createBucket, deleteBucket, listBuckets, readBucket, updateBucket } from './buckets.actions.ts';
import {
  eraseOrganization,
  sweepDeletedBuckets,
  sweepDerivatives,
  sweepExpired,
  sweepReplacedVersions,
  sweepUnfinishedFiles,
  sweepUploads,
} from './cleanup.ts';
import { renderSystemImage } from './images/system-image.ts';
import { imageTransformerLifecycle } from './images/transformer.ts';
import { recountDerivatives } from './images/usage.ts';
import { copyObject, moveObject } from './objects/copy-object.ts';
import { deleteObject, deleteObjects, listObjects, updateObject } from './objects/objects.actions.ts';
import { publicObjectEvents } from './objects/public-objects.ts';
import { readObject, readPublicObject, signRead } from './objects/read.ts';
import { putObject, uploadObject } from './objects/upload.ts';
import { bucketSettingsPages } from './pages/bucket-settings.ts';
import { bucketsPages } from './pages/buckets.ts';
import { deleteFilesPages } from './pages/delete-files.ts';
import { filePages } from './pages/file.ts';
import { fileSettingsPages } from './pages/file-settings.ts';
import { folderPages } from './pages/folder.ts';
import { newFolderPages } from './pages/new-folder.ts';
import { uploadPages } from './pages/upload.ts';
import { settleQuota } from './quota.ts';
import { readUsage, recountChanged } from './recount.ts';
import { objectStoreLifecycle } from './store/running-store.ts';
import { systemBucketActions } from './system/system-buckets.ts';
import { uploadByForm } from './transfers/form-upload.ts';
import { presignDownload, presignUpload } from './transfers/presign.ts';

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
    siteService({ own: healthRoutes, place, only: storageActions, hasPages: false }) as unknown as ServiceSchema,
  ],
  actions: {
    'buckets.list': listBuckets,
    'buckets.create': createBucket,
    'buckets.read': readBucket,
    'buckets.update': updateBucket,
    'buckets.delete': deleteBucket,
    'objects.upload': uploadObject,
    'objects.upload-form': uploadByForm,
    'objects.put': putObject,
    'objects.read': readObject,
    'objects.read-public': readPublicObject,
    'objects.sign-read': signRead,
    'objects.update': updateObject,
    'objects.delete': deleteObject,
    'objects.delete-many': deleteObjects,
    'objects.copy': copyObject,
    'objects.move': moveObject,
    'objects.list': listObjects,
    'presign.upload': presignUpload,
    'presign.download': presignDownload,
    'usage.read': readUsage,
    ...systemBucketActions,
    'system.render-image': renderSystemImage,
    ...bucketsPages,
    ...bucketSettingsPages,
    ...folderPages,
    ...newFolderPages,
    ...uploadPages,
    ...deleteFilesPages,
    ...filePages,
    ...fileSettingsPages,
    'quota.settle': settleQuota,
    'organizations.erase': eraseOrganization,
  },
  events: { ...publicObjectEvents, ...standingEvents },
  stopped: releasePrefetched,
};

export default storage;
