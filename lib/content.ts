import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { inputError } from './errors.ts';
import { detailsOf, inputMessage } from './input-messages.ts';
import { toJsonSchema } from './json-schema.ts';

/** The largest body of `takes: 'bytes'` and answer of `answers: 'bytes'`, in bytes: they may cross the broker. */
export const maxBrokerBytes = 512 * 1024;

const base64 = z.base64().max(Math.ceil(maxBrokerBytes / 3) * 4);

/** A raw body of `takes: 'bytes'`, as a Buffer. It crosses the broker in base64, because calls carry only JSON. */
export const bytesInput = base64.transform((text) => Buffer.from(text, 'base64'));

/** The answer of `answers: 'bytes'`: make it with {@link bytesAnswer}. The file name is in ASCII. */
export const bytesOutput = z.strictObject({
  base64,
  type: z.string(),
  fileName: z
    .string()
    .regex(/^[\w.-]+$/)
    .optional(),
  etag: z.string().optional(),
});

export type BytesAnswer = z.output<typeof bytesOutput>;

/** An answer of at most {@link maxBrokerBytes} bytes. `type` is its media type, `etag` a strong tag without quotes. */
export function bytesAnswer(bytes: Uint8Array, about: Omit<BytesAnswer, 'base64'>): BytesAnswer {
  return { base64: Buffer.from(bytes).toString('base64'), ...about };
}

/** The first and the last byte of a part of some content, counted from 0. */
export type ByteRange = { first: number; last: number };

/** The answer of `answers: 'stream'`: content that is read from the node that also has the connection. */
export type StreamAnswer = {
  /** Its media type. */
  type: string;
  /** In bytes; null when it is not known before the end. Such content has no ranges. */
  size: number | null;
  /** The strong entity tag, without quotes: equal only for equal bytes. */
  etag?: string;
  lastModified?: Date;
  /** `attachment` is saved under `fileName`, `inline` shown. Default: none of both. */
  disposition?: 'inline' | 'attachment';
  fileName?: string;
  /**
   * Opens the content, or the part of it that was asked for. It is not called for HEAD or where the client has the
   * content already. The signal aborts when the client disconnects.
   */
  open: (range: ByteRange | null, signal: AbortSignal) => Readable | Promise<Readable>;
  /** Called before each chunk is sent; the chunk waits for the promise, whose error ends the transfer. */
  admit?: (bytes: number) => Promise<void> | undefined;
  /** Called with each chunk of what `open` gave once it was sent. */
  release?: (chunk: Uint8Array) => void;
  /** Called once after what `open` gave was sent or given up, with the number of bytes that the connection took. */
  ended?: (bytes: number) => void;
};

/** What a service remembers of the answer of `answers: 'stream'` to a request. */
export type KnownAnswer = Required<Pick<StreamAnswer, 'size' | 'etag' | 'lastModified'>> & {
  headers: Record<string, string>;
};

/** A request as it came, before its input is validated. */
export type RawRequest = {
  path: Record<string, string>;
  query: Record<string, string | string[]>;
  headers: IncomingHttpHeaders;
};

export const streamOutput = z.custom<StreamAnswer>(
  (value) => typeof value === 'object' && value !== null && typeof (value as StreamAnswer).open === 'function',
);

/** A streamed body as the kernel hands it to an action: a raw body, or the field `file` of a form. */
export type RawUpload = {
  /** Whether it is the file of a form, and not the body itself. */
  isForm: boolean;
  /** The media type that the client declares; it decides nothing. */
  type: string;
  /** The file name that the client declares, without folders; null for a raw body. */
  fileName: string | null;
  /** The declared length in bytes; null when it is not known. */
  length: number | null;
  /** The bytes. The stream fails with an error of the catalogue when the client leaves, or sends too much. */
  file: Readable;
  /** The other fields that have arrived, not checked yet. */
  fieldsSoFar: () => Readonly<Record<string, string>>;
  /** The other fields of the form, before and after the file; settles when the body was read to its end. */
  fields: () => Promise<Record<string, string>>;
};

export type Upload<F> = Omit<RawUpload, 'fields'> & {
  /** The other fields, parsed; call it once the file was read. Throws INPUT_INVALID. */
  fields: () => Promise<F>;
};

/** The JSON Schema keyword under which the fields of an upload stand in a contract. */
export const uploadFieldsKeyword = 'x-upload-fields';

/** The JSON Schema keyword that says that the bytes alone are no upload. */
export const onlyFormKeyword = 'x-only-form';

/**
 * The schema of `body` where an action takes `stream`, with the schema of the form's other fields. `onlyForm` is for the
 * API document: the handler refuses another body.
 */
export function uploadInput<F extends z.ZodType>(
  fields: F,
  { onlyForm = false }: { onlyForm?: boolean } = {},
): z.ZodType<Upload<z.output<F>>, RawUpload> {
  return z
    .custom<RawUpload>((value) => typeof value === 'object' && value !== null && 'file' in value)
    .meta({ [uploadFieldsKeyword]: toJsonSchema(fields, 'input'), [onlyFormKeyword]: onlyForm })
    .transform((raw) => ({ ...raw, fields: async () => parseFields(fields, await raw.fields()) }));
}

function parseFields<F extends z.ZodType>(schema: F, given: Record<string, string>): z.output<F> {
  const { data, error } = schema.safeParse(given, { error: inputMessage });
  if (error) throw inputError(error.issues.flatMap((issue) => detailsOf('body', issue)));
  return data as z.output<F>;
}

/**
 * The answer of `answers: 'events'`: the channels whose hints the client gets; a channel names its organization.
 * `credential` is what the limit of open streams counts by where the action takes no credential of the platform. `limits`:
 * groups of streams with a maximum of their own, on each gateway.
 */
export const eventsOutput = z.strictObject({
  channels: z.array(z.string().min(1).max(200)).min(1).max(100),
  credential: z.string().max(200).optional(),
  limits: z
    .array(z.strictObject({ key: z.string().max(200), maximum: z.int().min(1) }))
    .max(10)
    .optional(),
});

/** The answer of `answers: 'redirect'`: where the browser goes. The handler has checked the address. */
export const redirectOutput = z.strictObject({ location: z.string().min(1).max(8192) });
