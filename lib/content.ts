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

/** The answer of `answers: 'stream'`: content that is read on the node that has the connection. */
export type StreamAnswer = {
  /** Its media type. */
  type: string;
  /** In bytes; null when it is unknown before the end. Such content has no ranges. */
  size: number | null;
  /** The strong entity tag, without quotes: equal only for equal bytes. */
  etag?: string;
  lastModified?: Date;
  /** `attachment` is saved under `fileName`, `inline` shown. Default: neither. */
  disposition?: 'inline' | 'attachment';
  fileName?: string;
  /**
   * Opens the content, or the requested range of it. It is not called for HEAD or where the client has the content
   * already. The signal aborts when the client disconnects.
   */
  open: (range: ByteRange | null, signal: AbortSignal) => Readable | Promise<Readable>;
  /** Called before each chunk is sent; the chunk waits for the promise, whose error ends the transfer. */
  admit?: (bytes: number) => Promise<void> | undefined;
  /** Called with each chunk of the opened stream once the chunk was sent. */
  release?: (chunk: Uint8Array) => void;
  /** Called once after the opened stream was sent or aborted, with the number of bytes that the connection accepted. */
  ended?: (bytes: number) => void;
};

/** The cached headers of an answer of `answers: 'stream'`, for conditional requests. */
export type KnownAnswer = Required<Pick<StreamAnswer, 'size' | 'etag' | 'lastModified'>> & {
  headers: Record<string, string>;
};

/** A request before its input is validated. */
export type RawRequest = {
  path: Record<string, string>;
  query: Record<string, string | string[]>;
  headers: IncomingHttpHeaders;
};

export const streamOutput = z.custom<StreamAnswer>(
  (value) => typeof value === 'object' && value !== null && typeof (value as StreamAnswer).open === 'function',
);

/** A streamed body as the kernel passes it to an action: a raw body, or the field `file` of a form. */
export type RawUpload = {
  /** Whether it is the file of a form, and not the raw body. */
  isForm: boolean;
  /** The media type that the client declares. It is not trusted. */
  type: string;
  /** The file name that the client declares, without folders; null for a raw body. */
  fileName: string | null;
  /** The declared length in bytes; null when it is unknown. */
  length: number | null;
  /** The bytes. The stream fails with an error of the catalogue when the client disconnects or exceeds the limit. */
  file: Readable;
  /** The other fields that have arrived, not validated yet. */
  fieldsSoFar: () => Readonly<Record<string, string>>;
  /** The other fields of the form, before and after the file; resolves when the whole body was read. */
  fields: () => Promise<Record<string, string>>;
};

export type Upload<F> = Omit<RawUpload, 'fields'> & {
  /** The other fields, parsed; call it after the file was read. Throws INPUT_INVALID. */
  fields: () => Promise<F>;
};

/** The JSON Schema keyword that holds the form fields of an upload in a contract. */
export const uploadFieldsKeyword = 'x-upload-fields';

/** The JSON Schema keyword that marks an upload that accepts only a form, not a raw body. */
export const onlyFormKeyword = 'x-only-form';

/**
 * The schema of `body` where an action takes `stream`, with the schema of the form's other fields. `onlyForm` is for
 * the API document: the handler rejects a raw body itself.
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
 * The answer of `answers: 'events'`: the channels whose change notifications the client gets; the name of a channel
 * holds its organization. `credential` is the key of the limit of open streams where the action takes no credential of
 * the platform. `limits`: groups of streams with a separate maximum on each gateway.
 */
export const eventsOutput = z.strictObject({
  channels: z.array(z.string().min(1).max(200)).min(1).max(100),
  credential: z.string().max(200).optional(),
  limits: z
    .array(z.strictObject({ key: z.string().max(200), maximum: z.int().min(1) }))
    .max(10)
    .optional(),
});

/** The answer of `answers: 'redirect'`: the target address, which the handler has validated. */
export const redirectOutput = z.strictObject({ location: z.string().min(1).max(8192) });
