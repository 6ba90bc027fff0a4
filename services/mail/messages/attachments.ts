import type { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import { type Ctx, call } from '../../../lib/contract/context.ts';
import { apiError, errorCatalogue, errorCode, inputError, isError } from '../../../lib/contract/errors.ts';
import { allows } from '../../../lib/contract/permissions.ts';
import { second } from '../../../lib/data/clock.ts';
import { DeliveryError } from '../../../messaging/delivery/deliverer.ts';
import type { MessageDocument } from '../../../models/mail/message.ts';
import type { Attachment } from '../transports/transport.ts';

const maxFiles = 10;
const maxAttachedBytes = 10 * 1024 * 1024;

/** The organization's objects to attach, which are read when the mail is sent. */
export const attachmentsInput = z
  .array(
    z
      .strictObject({ bucket: z.string().min(1).max(63), key: z.string().min(1).max(1024) })
      .meta({ id: 'MailAttachmentInput' }),
  )
  .max(maxFiles, `Must have at most ${maxFiles} objects.`)
  .default([])
  .describe('Objects of the organization to attach: at most 10, and 10 MiB in total.');

type Files = MessageDocument['attachments'];

/**
 * Checks that the caller may read the objects, that they exist, and that their total size is within the limit.
 *
 * @throws INPUT_INVALID naming the invalid object; PERMISSION_DENIED without `storage.read`.
 */
export async function requireAttachable(ctx: Ctx, orgId: string, files: Files): Promise<void> {
  if (files.length > 0 && !allows(ctx.meta.caller?.scopes ?? [], 'storage.read')) {
    throw apiError('PERMISSION_DENIED', {
      message: 'The credential lacks the permission storage.read for attachments.',
    });
  }
  let bytes = 0;
  for (const [place, { bucket, key }] of files.entries()) {
    const path = `body.attachments.${place}`;
    const { size } = await call(ctx, 'storage.objects.sign-read', { body: { orgId, bucket, key } }).catch((error) => {
      if (!isError(error, 'NOT_FOUND')) throw error;
      throw inputError([{ path, message: 'The object does not exist.' }]);
    });
    bytes += size;
    if (bytes > maxAttachedBytes) {
      throw inputError([{ path, message: 'Attachments exceed 10 MiB in total.' }]);
    }
  }
}

const timeout = 10 * second;

/**
 * Reads the objects over HTTP from a storage node by URLs that are signed for a minute. The bytes do not cross the
 * broker, and only the sending node holds them in memory.
 */
export async function readAttachments(
  broker: Pick<ServiceBroker, 'call'>,
  orgId: string,
  files: Files,
): Promise<Attachment[]> {
  const read: Attachment[] = [];
  let remaining = maxAttachedBytes;
  for (const { bucket, key } of files) {
    const attachment = await readOne(broker, { orgId, bucket, key }, remaining);
    remaining -= attachment.bytes.length;
    read.push(attachment);
  }
  return read;
}

type Place = { orgId: string; bucket: string; key: string };

async function readOne(broker: Pick<ServiceBroker, 'call'>, place: Place, most: number): Promise<Attachment> {
  const signed = await call(broker, 'storage.objects.sign-read', { body: place }).catch((error: unknown) => {
    const code = errorCode(error);
    throw unread(code === null ? null : errorCatalogue[code].status, error);
  });
  if (signed.size > most) throw new DeliveryError('faulty', 'Attachments exceed 10 MiB in total.');
  const answer = await fetch(signed.url, { signal: AbortSignal.timeout(timeout), redirect: 'error' }).catch((error) => {
    throw unread(null, error);
  });
  if (!answer.ok) {
    await answer.body?.cancel();
    throw unread(answer.status);
  }
  const bytes = await answer.arrayBuffer().catch((error) => {
    throw unread(null, error);
  });
  if (bytes.byteLength > most) throw new DeliveryError('faulty', 'Attachments exceed 10 MiB in total.');
  return { fileName: signed.fileName, type: signed.mimeType, bytes: Buffer.from(bytes) };
}

/**
 * The error for an attachment that could not be read, by the status of the storage response; null without a response.
 */
function unread(status: number | null, cause?: unknown): DeliveryError {
  if (status === 404) return new DeliveryError('faulty', 'An attachment was deleted before the mail was sent.');
  if (status === 402 || status === 403) {
    const message = 'An attachment cannot be read: the plan of the organization does not allow it.';
    return new DeliveryError('deferred', message, { cause });
  }
  return new DeliveryError('unreachable', 'An attachment could not be read.', { cause });
}
