import type { components, paths } from './api.ts';

/** The resources of the API by name: `Schemas['Bucket']`. */
export type Schemas = components['schemas'];

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have a method. */
export type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: object } ? P : never;
}[keyof paths];

/** The operation of a path and a method, as the API document describes it. */
export type Operation<P extends keyof paths, M extends Method> = paths[P] extends { [K in M]: infer O } ? O : never;

type Parameters<O, Place extends string> = O extends { parameters: infer Q }
  ? Place extends keyof Q
    ? Q[Place]
    : undefined
  : undefined;

/** A body that is sent as it is. */
export type RawBody = Blob | FormData | URLSearchParams | ReadableStream<Uint8Array> | Uint8Array | string;

type BodyOf<B> = B extends { content: { 'application/json': infer T } } ? T : B extends undefined ? undefined : RawBody;
type Body<O> = 'requestBody' extends keyof O ? BodyOf<O['requestBody']> : undefined;

type Part<Name extends string, T> = [T] extends [undefined]
  ? { [K in Name]?: undefined }
  : undefined extends T
    ? { [K in Name]?: T }
    : { [K in Name]: T };

/** The settings of one call. */
export type CallSettings = {
  /** Ends the call, its retries and its waiting. */
  signal?: AbortSignal | undefined;
  /** The maximum duration of an attempt in milliseconds. */
  timeout?: number | undefined;
  /**
   * The key of the operation, where the endpoint takes one. Without it each call is an operation, and its attempts share
   * a key. A key that your program has stored makes the operation the same after a restart.
   */
  idempotencyKey?: string | undefined;
  /** Whether failed attempts are repeated; by default where the endpoint changes nothing or takes a key. */
  retry?: boolean | undefined;
  /** Further headers, such as `if-match`. */
  headers?: Record<string, string> | undefined;
};

/** The input of an operation: the parameters of its path, its query and its body. */
export type CallOptions<O> = CallSettings &
  Part<'path', Parameters<O, 'path'>> &
  Part<'query', Parameters<O, 'query'>> &
  Part<'body', Body<O>>;

/** The options of a call may be omitted when none is required. */
export type Arguments<O> =
  Partial<CallOptions<O>> extends CallOptions<O> ? [options?: CallOptions<O>] : [options: CallOptions<O>];

type AnswerOf<R> = R extends { content: { 'application/json': infer T } }
  ? T
  : R extends { content?: never }
    ? undefined
    : Response;

/** The answer of an operation: parsed JSON, nothing, or the response for content of another type. */
export type Answer<O> = O extends { responses: infer R } ? AnswerOf<R[keyof R]> : never;

/** The paths of lists with pages. */
export type ListPaths = {
  [P in PathsWith<'get'>]: Answer<Operation<P, 'get'>> extends { nextCursor: string | null } ? P : never;
}[PathsWith<'get'>];

/** An item of a list. */
export type ItemOf<P extends ListPaths> =
  Answer<Operation<P, 'get'>> extends infer Page
    ? Page extends { data: (infer Item)[] } | { invoices: (infer Item)[] }
      ? Item
      : never
    : never;

/** The paths of streams of server-sent events. */
export type StreamPaths = {
  [P in PathsWith<'get'>]: Operation<P, 'get'> extends {
    responses: { 200: { content: { 'text/event-stream': unknown } } };
  }
    ? P
    : never;
}[PathsWith<'get'>];

/** An event of a stream. After `reset` events may be missing: read everything again. */
export type StreamEvent = { id: string; event: string; data: Record<string, unknown> };

/** A file to upload, and the object that it becomes. */
export type Upload = {
  /** The bytes. `openAsBlob` of `node:fs` opens a file of any size. */
  file: Blob;
  /** The default is the organization's own bucket. */
  bucket?: string | undefined;
  key: string;
  /** The media type. The default is the type of the file. */
  mimeType?: string | undefined;
  /** `false` keeps an object of a public bucket private. */
  public?: boolean | undefined;
  /** Called while bytes are sent; a repeated attempt starts at 0 again. */
  onProgress?: ((progress: { sentBytes: number; totalBytes: number }) => void) | undefined;
  signal?: AbortSignal | undefined;
};
