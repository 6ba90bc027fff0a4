import type { Row } from './row.ts';

/** Buckets, objects, signed addresses and public delivery. */
export const storageRows = {
  'upload.form': {
    from: 'Endpoints, Storage',
    route: 'POST /v1/upload',
    says: 'POST /v1/upload stores the field file and answers the object',
  },
  'upload.console-form': {
    from: 'issue 42, part 3',
    route: 'POST /v1/upload/form',
    says: 'a form of the console uploads without a script, at an address that its page has signed',
    proven: 'test/web/pages/console-files.test.ts',
  },
  'upload.fields': {
    from: 'Endpoints, Storage',
    says: 'an upload may name bucket, key and public, before or after the file',
  },
  'upload.refused': {
    from: 'Per-endpoint statuses',
    says: 'an upload without a file, or of a type that its bucket or its bytes contradict, is 400',
  },
  'upload.default-bucket': {
    from: 'Storage resources; decisions, Storage',
    says: 'without a bucket the object is public in the one that has the name of the tenant',
  },
  'objects.put': {
    from: 'decisions, Storage',
    route: 'PUT /v1/objects/:bucket/:key',
    says: 'PUT stores the body as an object, and replaces it only with storage.delete',
  },
  'objects.read': {
    from: 'Endpoints, Storage; Authentication 9',
    route: 'GET /v1/objects/:bucket/:key',
    says: 'GET /v1/objects/:bucket/:key answers the bytes, of a private object only to its organization',
  },
  'objects.update': {
    from: 'decisions, Storage',
    route: 'PATCH /v1/objects/:bucket/:key',
    says: 'PATCH changes public and metadata, and public never widens the bucket',
  },
  'objects.delete': {
    from: 'Endpoints, Storage',
    route: 'DELETE /v1/objects/:bucket/:key',
    says: 'DELETE removes an object; one that is missing is 404',
  },
  'objects.delete-many': {
    from: 'decisions, Storage',
    route: 'POST /v1/objects/delete',
    says: 'POST /v1/objects/delete gives each of up to 1,000 keys its outcome',
  },
  'objects.copy': {
    from: 'decisions, Storage',
    route: 'POST /v1/objects/copy',
    says: 'POST /v1/objects/copy makes an object of the same bytes',
  },
  'objects.move': {
    from: 'decisions, Storage',
    route: 'POST /v1/objects/move',
    says: 'POST /v1/objects/move gives an object another key or bucket',
  },
  'objects.list': {
    from: 'decisions, Storage',
    route: 'GET /v1/buckets/:bucketName/objects',
    says: 'the objects of a bucket are listed by prefix, in pages, and as folders with a delimiter',
  },
  'presign.upload': {
    from: 'Endpoints, Storage; decisions, Storage',
    route: 'POST /v1/presign',
    says: 'POST /v1/presign gives an address for one PUT, and the object exists once that has ended',
  },
  'presign.download': {
    from: 'Endpoints, Storage; Authentication 9',
    route: 'POST /v1/presign/download',
    says: 'POST /v1/presign/download gives an address that reads a private object, and does nothing else',
  },
  'cdn.read': {
    from: 'Storage resources; decisions, Storage',
    route: 'GET /cdn/:bucket/:key',
    says: 'the url of a public object answers it without a credential, with ranges and validators',
  },
  'cdn.transform': {
    from: 'Endpoints, Storage; decisions, Storage',
    says: 'the url of a public image with w, h, fit, q, f or dpr answers the image transformed',
  },
  'cdn.links': {
    from: 'decisions, Storage',
    says: 'a link with parameters of another site answers the object; beside those of a transformation they are 400',
  },
  'cdn.charset': {
    from: 'decisions, Storage',
    says: 'text is served in the charset that was declared for it, or as UTF-8 where its bytes are',
  },
  'buckets.list': {
    from: 'Endpoints, Storage',
    route: 'GET /v1/buckets',
    says: 'GET /v1/buckets lists the buckets of the tenant',
  },
  'buckets.create': {
    from: 'Endpoints, Storage; decisions, Storage',
    route: 'POST /v1/buckets',
    says: 'POST /v1/buckets makes a bucket, whose name nobody else can have',
  },
  'buckets.read': {
    from: 'decisions, Storage',
    route: 'GET /v1/buckets/:bucketName',
    says: 'GET /v1/buckets/:bucketName answers one bucket',
  },
  'buckets.update': {
    from: 'decisions, Storage',
    route: 'PATCH /v1/buckets/:bucketName',
    says: 'PATCH /v1/buckets/:bucketName changes what a bucket takes and shows',
  },
  'buckets.delete': {
    from: 'Endpoints, Storage',
    route: 'DELETE /v1/buckets/:bucketName',
    says: 'DELETE /v1/buckets/:bucketName removes the bucket with its objects',
  },
  'storage.usage': {
    from: 'decisions, Storage',
    route: 'GET /v1/usage',
    says: 'GET /v1/usage answers what is stored and was sent, and what is in each bucket',
  },
  'storage.keys': {
    from: 'decisions, Storage',
    says: 'keys are any UTF-8 in NFC, decoded once; the others are 400',
  },
} as const satisfies Record<string, Row>;
