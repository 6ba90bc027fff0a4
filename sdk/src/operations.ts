/** The operations that the client treats differently. Written by `npm run generate` from the API document. */

/** Operations that take an `Idempotency-Key`. */
export const keyedOperations: ReadonlySet<string> = new Set([
  'POST /access/assignments',
  'POST /access/permissions',
  'POST /access/roles',
  'POST /applications',
  'POST /applications/{id}/api-keys',
  'POST /applications/{slug}/oauth-client',
  'POST /events',
  'POST /events/batch',
  'POST /identity/me/addresses',
  'POST /identity/me/contacts',
  'POST /identity/me/contacts/{contactId}/verification',
  'POST /identity/users/{userId}/recovery',
  'POST /operator/jobs/{name}/run',
  'POST /organizations',
  'POST /organizations/{slug}/invitations',
  'POST /organizations/{slug}/invitations/{invitationId}/resend',
  'POST /v1/buckets',
  'POST /v1/connect/agents',
  'POST /v1/connect/blocks',
  'POST /v1/connect/replies',
  'POST /v1/connect/sites',
  'POST /v1/connect/sites/{siteId}/secret',
  'POST /v1/conversations/{id}/messages',
  'POST /v1/conversations/{id}/notes',
  'POST /v1/mail/messages/{messageId}/resend',
  'POST /v1/mail/send',
  'POST /v1/mail/suppressions',
  'POST /v1/mail/templates',
  'POST /v1/mail/templates/{templateId}/test',
  'POST /v1/notifications/channels',
  'POST /v1/notifications/channels/{channelId}/test',
  'POST /v1/notifications/send',
  'POST /v1/notifications/templates',
  'POST /v1/notifications/templates/{templateId}/test',
  'POST /v1/notifications/{notificationId}/resend',
  'POST /v1/orgs/{orgId}/checkout',
]);

/** Operations that change nothing although they are not GET. */
export const safeOperations: ReadonlySet<string> = new Set([
  'POST /access/check',
  'POST /access/check/batch',
  'POST /access/explain',
  'POST /v1/conversations/{id}/looking',
  'POST /v1/presign/download',
]);

/** Operations that answer another type than JSON. */
export const rawOperations: ReadonlySet<string> = new Set([
  'GET /cdn/{bucket}/{key}',
  'GET /organizations/{slug}/logo/{logoId}',
  'GET /v1/connect/stream',
  'GET /v1/invoices/{invoiceId}/pdf',
  'GET /v1/objects/{bucket}/{key}',
  'GET /v1/widget/stream',
]);

/** Paths at the address of the storage API. */
export const storagePaths: ReadonlySet<string> = new Set([
  '/cdn/{bucket}/{key}',
  '/v1/buckets',
  '/v1/buckets/{bucketName}',
  '/v1/buckets/{bucketName}/objects',
  '/v1/objects/copy',
  '/v1/objects/delete',
  '/v1/objects/move',
  '/v1/objects/{bucket}/{key}',
  '/v1/presign',
  '/v1/presign/download',
  '/v1/upload',
  '/v1/upload/form',
  '/v1/usage',
]);
