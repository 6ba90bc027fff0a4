/** The actions of the service by name, for typed calls. Written by `npm run generate`. */
declare module '../../lib/contract/context.ts' {
  interface Calls {
    'storage.buckets.create': typeof import('./buckets.actions.ts').createBucket;
    'storage.buckets.delete': typeof import('./buckets.actions.ts').deleteBucket;
    'storage.buckets.list': typeof import('./buckets.actions.ts').listBuckets;
    'storage.buckets.read': typeof import('./buckets.actions.ts').readBucket;
    'storage.buckets.update': typeof import('./buckets.actions.ts').updateBucket;
    'storage.objects.copy': typeof import('./objects/copy-object.ts').copyObject;
    'storage.objects.delete': typeof import('./objects/objects.actions.ts').deleteObject;
    'storage.objects.delete-many': typeof import('./objects/objects.actions.ts').deleteObjects;
    'storage.objects.list': typeof import('./objects/objects.actions.ts').listObjects;
    'storage.objects.move': typeof import('./objects/copy-object.ts').moveObject;
    'storage.objects.put': typeof import('./objects/upload.ts').putObject;
    'storage.objects.read': typeof import('./objects/read.ts').readObject;
    'storage.objects.read-public': typeof import('./objects/read.ts').readPublicObject;
    'storage.objects.sign-read': typeof import('./objects/read.ts').signRead;
    'storage.objects.update': typeof import('./objects/objects.actions.ts').updateObject;
    'storage.objects.upload': typeof import('./objects/upload.ts').uploadObject;
    'storage.objects.upload-form': typeof import('./transfers/form-upload.ts').uploadByForm;
    'storage.organizations.erase': typeof import('./cleanup.ts').eraseOrganization;
    'storage.presign.download': typeof import('./transfers/presign.ts').presignDownload;
    'storage.presign.upload': typeof import('./transfers/presign.ts').presignUpload;
    'storage.quota.settle': typeof import('./quota.ts').settleQuota;
    'storage.system.delete': typeof import('./system/system-buckets.ts').deleteSystemObjects;
    'storage.system.describe': typeof import('./system/system-buckets.ts').describeSystemObjects;
    'storage.system.presign-download': typeof import('./system/system-buckets.ts').presignSystemDownload;
    'storage.system.presign-upload': typeof import('./system/system-buckets.ts').presignSystemUpload;
    'storage.system.render-image': typeof import('./images/system-image.ts').renderSystemImage;
    'storage.usage.read': typeof import('./recount.ts').readUsage;
  }
}

export {};
