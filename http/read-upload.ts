import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { z } from 'zod';
import type { fileFormInput, RawUpload } from '../lib/contract/contract.ts';
import { apiError, inputError, isError } from '../lib/contract/errors.ts';
import { rejectEncodings, rejectLarger, tooLarge, unsupportedType } from './read-body.ts';

/** The limits of a form, in addition to its file. */
const maxFields = 50;
const maxFieldBytes = 16 * 1024;
const maxNameBytes = 100;
const maxHeaderBytes = 8 * 1024;
/** The maximum that the other fields and the delimiters of a form may add to its length. */
const formOverheadBytes = 64 * 1024;

/**
 * Receives a body of at most `limitBytes` as a stream: the raw body, or the field `file` of a form
 * (multipart/form-data, RFC 7578). Resolves as soon as the first byte can be read.
 *
 * @throws BODY_TOO_LARGE, CONTENT_TYPE_UNSUPPORTED, INPUT_INVALID, REQUEST_MALFORMED; the stream fails with the same
 */
export async function receiveUpload(request: IncomingMessage, limitBytes: number): Promise<RawUpload> {
  rejectEncodings(request);
  const type = (request.headers['content-type'] ?? 'application/octet-stream').trim();
  if (/^multipart\/form-data[ \t]*;/i.test(type)) return await receiveForm(request, limitBytes);
  if (/^(?:multipart\/|application\/x-www-form-urlencoded)/i.test(type)) {
    const message = 'The body must be raw bytes with their media type, or a multipart form with the field "file".';
    throw apiError('CONTENT_TYPE_UNSUPPORTED', { message });
  }
  rejectLarger(request, limitBytes);
  const file = limited(limitBytes);
  whenIncomplete(request, (error) => file.destroy(error));
  file.once('close', () => request.unpipe(file));
  request.pipe(file);
  const length = request.headers['content-length'];
  return {
    isForm: false,
    type,
    fileName: null,
    length: length === undefined ? null : Number(length),
    file,
    fieldsSoFar: () => ({}),
    fields: async () => ({}),
  };
}

/**
 * Reads a form of a page with a file of at most `fileBytes` into memory. The file in base64, null when it is larger: the
 * page then renders its form again.
 *
 * @throws CONTENT_TYPE_UNSUPPORTED, INPUT_INVALID, REQUEST_MALFORMED
 */
export async function readFileForm(
  request: IncomingMessage,
  fileBytes: number,
): Promise<z.input<typeof fileFormInput>> {
  try {
    const upload = await receiveUpload(request, fileBytes);
    if (!upload.isForm) throw unsupportedType(request, 'Send the form with Content-Type: multipart/form-data.');
    const bytes = await buffer(upload.file);
    return { fields: await upload.fields(), file: bytes.toString('base64') };
  } catch (error) {
    if (!isError(error, 'BODY_TOO_LARGE')) throw error;
    return { fields: {}, file: null };
  }
}

type Form = { fields: Record<string, string>; file: Transform | null };

async function receiveForm(request: IncomingMessage, limitBytes: number): Promise<RawUpload> {
  rejectLarger(request, limitBytes + formOverheadBytes);
  const parser = parserOf(request);
  const form: Form = { fields: Object.create(null), file: null };
  return await new Promise<RawUpload>((resolve, reject) => {
    const complete = Promise.withResolvers<Record<string, string>>();
    // The handler may not await the fields; their rejection must not be reported as unhandled.
    complete.promise.catch(() => undefined);
    const stop = (error: Error): void => {
      request.unpipe(parser);
      form.file?.destroy(error);
      complete.reject(error);
      reject(error);
    };
    whenIncomplete(request, stop);
    parser.on('error', () => stop(malformed('The form is damaged or not complete.')));
    parser.on('filesLimit', () => stop(invalid('file', 'Must be one file.')));
    for (const event of ['fieldsLimit', 'partsLimit'] as const) {
      parser.on(event, () => stop(inputError([{ path: 'body', message: `Must have at most ${maxFields} fields.` }])));
    }
    parser.on('field', (name, value, isNameCut, isCut) => {
      const problem = problemOf(form, name, isNameCut || isCut);
      if (problem) stop(problem);
      else form.fields[name] = value;
    });
    parser.on('file', (name, source, fileName, _encoding, type) => {
      if (name !== 'file') {
        source.resume();
        return stop(invalid(String(name).slice(0, maxNameBytes), 'Only the field "file" can be a file.'));
      }
      form.file = readPart(source, limitBytes, stop);
      const upload = {
        isForm: true,
        type: type || 'application/octet-stream',
        fileName: fileName || null,
        length: null,
      };
      resolve({ ...upload, file: form.file, fieldsSoFar: () => form.fields, fields: () => complete.promise });
    });
    parser.on('finish', () => {
      if (form.file) complete.resolve(form.fields);
      else stop(invalid('file', 'It is missing: send a file in this field.'));
    });
    request.pipe(parser);
  });
}

function parserOf({ headers }: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      isPartAFile: (name, _type, fileName) => name === 'file' || fileName !== undefined,
      limits: {
        files: 1,
        fields: maxFields,
        parts: maxFields + 1,
        fieldSize: maxFieldBytes,
        fieldNameSize: maxNameBytes,
        headerSize: maxHeaderBytes,
      },
    });
  } catch (cause) {
    throw apiError('CONTENT_TYPE_UNSUPPORTED', { message: 'The form names no boundary between its parts.', cause });
  }
}

function problemOf({ fields }: Form, name: string | undefined, isCut: boolean): Error | null {
  if (!name || name === '__proto__') return inputError([{ path: 'body', message: 'Every field must have a name.' }]);
  if (isCut) return invalid(name, `Must be at most ${maxFieldBytes} bytes.`);
  return name in fields ? invalid(name, 'Must be sent once.') : null;
}

function readPart(source: Readable, limitBytes: number, stop: (error: Error) => void): Transform {
  const file = limited(limitBytes);
  // The parser also ends a truncated part, after this error.
  source.on('error', () => stop(malformed('The file is not complete.')));
  file.once('error', () => source.unpipe(file).resume());
  source.pipe(file);
  return file;
}

/** Passes at most `limitBytes` bytes, and fails with BODY_TOO_LARGE at the next. */
function limited(limitBytes: number): Transform {
  let length = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      if (length > limitBytes) done(tooLarge(limitBytes));
      else done(null, chunk);
    },
  });
  // The reader may not be attached yet, or may be gone; its own listeners still get the error.
  return stream.on('error', () => undefined);
}

function whenIncomplete(request: IncomingMessage, act: (error: Error) => void): void {
  const check = (): void => {
    if (!request.complete) act(malformed('The body ended before it was complete.'));
  };
  request.once('error', check).once('close', check);
}

const malformed = (message: string): Error => apiError('REQUEST_MALFORMED', { message });
const invalid = (field: string, message: string): Error => inputError([{ path: `body.${field}`, message }]);
