import { z } from 'zod';
import type { Definition, InputSchemas } from './action.ts';
import type { Permission } from './authorize.ts';
import { callTimeout } from './calls.ts';
import type { ErrorCode } from './errors.ts';
import { type JsonSchema, toJsonSchema } from './json-schema.ts';
import { once } from './once.ts';

export type { JsonSchema } from './json-schema.ts';

/**
 * The kind of request body. `form`: the fields of a form of a page. `bytes`: a raw body of at most 512 KiB. `stream`: a
 * raw body or a form with a file, read as it arrives.
 */
export type Takes = 'json' | 'text' | 'form' | 'bytes' | 'stream';

/**
 * The kind of answer. `bytes`: at most 512 KiB of any media type. `stream`: content of any size with ranges and
 * preconditions. `events`: server-sent events. The outputs of all but `json` are in lib/content.ts.
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
 * A part of a contract that only the API document needs: on the node of the action a function that creates it, on other
 * nodes the data. Deferred, because it is most of a contract and a start would create and copy it several times.
 */
export type Deferred<T extends object> = T | ((() => T) & { toJSON(): T });

/** The contract of an action. It serializes to plain data, because the registry carries it. */
export type Contract = {
  summary: string;
  permission: Permission;
  tenant: 'required' | 'inferred';
  status: number;
  errors: ErrorCode[];
  idempotent: boolean;
  /** Whether a call changes nothing, so that it may be retried. */
  safe: boolean;
  bodyLimitBytes: number;
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
    input[part as keyof InputSchemas] = defer(() => toJsonSchema(schema as z.ZodType, 'input'));
  }
  const { example } = definition;
  const contract: Contract = {
    summary: definition.summary,
    permission: definition.permission,
    tenant: definition.tenant ?? 'inferred',
    status: definition.status ?? defaultStatus(answers, answersNothing),
    errors: definition.errors ?? [],
    idempotent: definition.idempotent !== undefined,
    safe: definition.safe ?? definition.rest?.startsWith('GET ') ?? false,
    bodyLimitBytes: definition.limits?.bodyBytes ?? defaultBodyLimitBytes,
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
    input,
    output: answersNothing ? null : defer(() => toJsonSchema(definition.output, 'output')),
    example: example ? defer(() => example) : null,
  };
  requireIdempotency(definition.rest, contract);
  if (definition.validator && (contract.permission !== 'public' || answers !== 'stream')) {
    throw new Error(`${definition.rest} must not have a validator.`);
  }
  if (definition.corsOfRefusal && (definition.exposure?.cors !== 'own' || answers !== 'stream')) {
    throw new Error(`${definition.rest} must not set the CORS headers of its error responses.`);
  }
  return contract;
}

/** Wraps data in a function. Moleculer copies data, but passes functions by reference. */
function defer<T extends object>(make: () => T): Deferred<T> {
  const read = once(make);
  return Object.assign(read, { toJSON: read });
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
