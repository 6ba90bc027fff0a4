import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { once } from '../concurrency/once.ts';
import type { Permission } from './authorize.ts';
import { callTimeout } from './context.ts';
import type { Definition, InputSchemas } from './define-action.ts';
import { type ErrorCode, inputError } from './errors.ts';
import { detailsOf, inputMessage } from './input.ts';
import { type JsonSchema, toJsonSchema } from './json-schema.ts';

/** The largest body of `takes: 'bytes'` and answer of `answers: 'bytes'`, in bytes: they may cross the broker. */
export const maxBrokerBytes = 512 * 1024;

const base64 = z.base64().max(Math.ceil(maxBrokerBytes / 3) * 4);

/** A raw body of `takes: 'bytes'`, as a Buffer. It crosses the broker in base64, because calls carry only JSON. */
export const bytesInput = base64.transform((text) => Buffer.from(text, 'base64'));

/**
 * The body of `takes: 'form'` with `limits.fileBytes`: a form (multipart/form-data) with the field `file` and others.
 * The file is null if it exceeds the limit; the other fields may be missing then.
 */
export const fileFormInput = z.strictObject({
  fields: z.record(z.string(), z.string()),
  file: bytesInput.nullable(),
});

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

function parseFields<F extends z.ZodType>(schema: F, fields: Record<string, string>): z.output<F> {
  const { data, error } = schema.safeParse(fields, { error: inputMessage });
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

export type { JsonSchema } from './json-schema.ts';

/**
 * The kind of request body. `form`: the fields of a form of a page, perhaps with a small file. `bytes`: a raw body of at most 512 KiB. `stream`: a
 * raw body or a form with a file, read as it arrives.
 */
export type Takes = 'json' | 'text' | 'form' | 'bytes' | 'stream';

/**
 * The kind of answer. `bytes`: at most 512 KiB of any media type. `stream`: content of any size with ranges and
 * preconditions. `events`: server-sent events. The outputs of all but `json` are in lib/contract/contract.ts.
 */
export type Answers = 'json' | 'html' | 'redirect' | 'bytes' | 'stream' | 'events';

/**
 * What browsers may do with an answer beyond the closed defaults: no caching, no reading by other origins than
 * CORS_ORIGINS, no embedding in other sites, no framing, no active content.
 */
export type Exposure = {
  /** The Cache-Control header. */
  caching?: string;
  /**
   * `any`: pages of all origins may read it, without cookies. `own`: the handler sets the headers of CORS itself; a
   * preflight is then answered as with `any`.
   */
  cors?: 'any' | 'own';
  /** `cross-origin`: other sites may embed it, for example as an image. */
  embedding?: 'cross-origin';
  /** The sources in `frame-ancestors` that may frame it. */
  framing?: string[];
  /** The Content-Security-Policy without `frame-ancestors`. */
  contentPolicy?: string;
};

/**
 * A part of a contract that only the API document needs: on the node of the action a function that creates it, because
 * a start would create and copy it several times; on other nodes an empty object, which
 * lib/contract/service-document.ts completes.
 */
export type Deferred<T extends object> = T | ((() => T) & { toJSON(): object });

/** A command of the operator's console that calls an internal action with its arguments as the fields of the body. */
export type CommandDeclaration = {
  /**
   * The name and the arguments: `billing:give <organization> <plan>`, `audit [organization]`. The name is the name of
   * the service, or begins with it and a colon.
   */
  usage: string;
  description: string;
  /** Whether it changes data: the operator must confirm it, and it is recorded in the audit log. */
  changes?: boolean | 'withArguments';
  /** The fields of arguments whose names differ: `{ organization: 'orgId' }`. */
  fields?: Record<string, string>;
  /** Fields that are always sent. */
  fixed?: Record<string, string | boolean>;
};

/**
 * The contract of an action. It serializes to plain data, because the registry carries it: what requests need, without
 * the content of the deferred parts.
 */
export type Contract = {
  summary: string;
  /** In Markdown, for the API document. */
  description?: string;
  permission: Permission;
  tenant: 'required' | 'inferred';
  status: number;
  errors: ErrorCode[];
  idempotent: boolean;
  /** Whether a call changes nothing, so that it may be retried. */
  safe: boolean;
  bodyLimitBytes: number;
  /** The maximum size of the file of a form, in bytes; 0: its forms have none. */
  fileBytes: number;
  fromServers: boolean;
  thisMachineOnly: boolean;
  shapeFirst: boolean;
  /** Whether some calls require no credential, depending on their input. */
  mayBeOpen: boolean;
  takes: Takes;
  answers: Answers;
  /** The media type of the answer, for the API document. */
  mediaType: string;
  /** Whether a request may have no body although the action takes one. */
  bodyOptional: boolean;
  /** The timeout of the handler after the request has arrived, in milliseconds; 0: none. */
  handlerTimeout: number;
  /** Null: the restrictive defaults. */
  exposure: Exposure | null;
  input: Partial<Record<keyof InputSchemas, Deferred<JsonSchema>>>;
  output: Deferred<JsonSchema> | null;
  /** The commands of the operator's console that call the action. */
  commands?: CommandDeclaration[];
  /** A request and its answer: the parts of the input, and `output`. */
  example: Deferred<Record<string, unknown>> | null;
};

const defaultBodyLimitBytes = 100 * 1024;

const mediaTypes: Record<Answers, string> = {
  json: 'application/json',
  html: 'text/html',
  redirect: 'text/html',
  bytes: 'application/octet-stream',
  stream: '*/*',
  events: 'text/event-stream',
};

/** Builds the contract of a definition; throws when the definition is contradictory. */
export function contractOf<I extends InputSchemas, O extends z.ZodType, P extends Permission>(
  definition: Definition<I, O, P>,
): Contract {
  const answersNothing = definition.output instanceof z.ZodVoid;
  const answers = definition.answers ?? 'json';
  const input: Contract['input'] = {};
  for (const [part, schema] of Object.entries(definition.input)) {
    const read = () => toJsonSchema(schema as z.ZodType, 'input');
    // Every gateway needs the names of the headers that an action takes.
    input[part as keyof InputSchemas] = defer(read, part === 'headers');
  }
  const { example } = definition;
  const contract: Contract = {
    summary: definition.summary,
    ...(definition.description !== undefined && { description: definition.description }),
    permission: definition.permission,
    tenant: definition.tenant ?? 'inferred',
    status: definition.status ?? defaultStatus(answers, answersNothing),
    errors: definition.errors ?? [],
    idempotent: definition.idempotent !== undefined,
    safe: definition.safe ?? definition.rest?.startsWith('GET ') ?? false,
    bodyLimitBytes: definition.limits?.bodyBytes ?? defaultBodyLimitBytes,
    fileBytes: definition.limits?.fileBytes ?? 0,
    fromServers: definition.limits?.fromServers ?? false,
    thisMachineOnly: definition.limits?.thisMachineOnly ?? false,
    // Only the parsed input shows whether a credential is required.
    shapeFirst: definition.shapeFirst ?? definition.isPublicCall !== undefined,
    mayBeOpen: definition.isPublicCall !== undefined,
    takes: definition.takes ?? 'json',
    answers,
    mediaType: definition.mediaType ?? mediaTypes[answers],
    bodyOptional: definition.input.body?.isOptional() ?? false,
    handlerTimeout: definition.limits?.milliseconds ?? callTimeout,
    exposure: definition.exposure ?? null,
    ...(definition.commands && { commands: definition.commands }),
    input,
    output: answersNothing ? null : defer(() => toJsonSchema(definition.output, 'output')),
    example: example ? defer(() => example) : null,
  };
  requireIdempotency(definition.rest, contract);
  // The file is kept in memory, so a client without a credential must not send one.
  if (contract.fileBytes > 0 && (contract.takes !== 'form' || contract.permission === 'public')) {
    throw new Error(`${definition.rest} must not take a file.`);
  }
  if (definition.validator && (contract.permission !== 'public' || answers !== 'stream')) {
    throw new Error(`${definition.rest} must not have a validator.`);
  }
  if (definition.corsOfRefusal && (definition.exposure?.cors !== 'own' || answers !== 'stream')) {
    throw new Error(`${definition.rest} must not set the CORS headers of its error responses.`);
  }
  return contract;
}

/**
 * Wraps data in a function, because Moleculer copies data and passes functions by reference. `isSent`: whether the
 * registry carries the data with the contract.
 */
function defer<T extends object>(make: () => T, isSent = false): Deferred<T> {
  const read = once(make);
  return Object.assign(read, { toJSON: isSent ? read : () => ({}) });
}

/** Resolves a deferred part of a contract; undefined where the contract has none. */
export function dataOf<T extends object>(part: Deferred<T> | null | undefined): T | undefined {
  return typeof part === 'function' ? part() : (part ?? undefined);
}

function defaultStatus(answers: Answers, answersNothing: boolean): number {
  if (answers === 'redirect') return 303;
  return answersNothing ? 204 : 200;
}

/** Throws for a POST that creates (201) or sends (202) without idempotency, because it must survive a retry. */
function requireIdempotency(rest: string | undefined, { status, idempotent }: Contract): void {
  const makesMore = rest?.startsWith('POST ') && (status === 201 || status === 202);
  if (makesMore && !idempotent) throw new Error(`${rest} answers ${status}: it must be idempotent.`);
}
