import type { ActionSchema, Context } from 'moleculer';
import { z } from 'zod';
import { asApiError, isDatabaseUnable } from '../data/database-errors.ts';
import { settings } from '../settings/settings.ts';
import { authorize, type Permission, resolveOrganization } from './authorize.ts';
import {
  type ApplicationCaller,
  type Caller,
  type Ctx,
  callTimeout,
  type RequestMeta,
  type UserCaller,
} from './context.ts';
import {
  type Answers,
  type CommandDeclaration,
  type Contract,
  contractOf,
  type Exposure,
  type KnownAnswer,
  type RawRequest,
  type RawUpload,
  type streamOutput,
  type Takes,
} from './contract.ts';
import { type ErrorCode, type ErrorDetail, inputError, isError } from './errors.ts';
import { newOperation, type Operation, replayOrRun } from './idempotency.ts';
import { detailsOf, inputMessage, queryMessage } from './input.ts';

export type InputSchemas = { body?: z.ZodType; query?: z.ZodType; path?: z.ZodType; headers?: z.ZodType };
export type InputOf<I extends InputSchemas> = { [K in keyof I]: I[K] extends z.ZodType ? z.input<I[K]> : never };
export type OutputOf<O extends z.ZodType> = z.output<O>;
type ParsedOf<I extends InputSchemas> = { [K in keyof I]: I[K] extends z.ZodType ? z.output<I[K]> : never };

/** For a permission in an organization, the wrapper has resolved the organization. */
type InOrganization = ApplicationCaller | (UserCaller & { orgId: string });
type CallerOf<P extends Permission> = P extends 'public' | 'internal'
  ? Caller | null
  : P extends 'authenticated'
    ? Caller
    : P extends 'user' | 'session' | 'operator'
      ? UserCaller
      : InOrganization;

/** The argument of a handler: the parsed parts of the input, the caller, and the broker's context for further calls. */
export type Request<I extends InputSchemas, P extends Permission> = ParsedOf<I> & {
  caller: CallerOf<P>;
  /** The source of the ids and secrets of an idempotent action. */
  operation: Operation;
  ctx: Ctx;
};

export type Definition<I extends InputSchemas, O extends z.ZodType, P extends Permission> = {
  /** `METHOD /path/:parameter`; absent for an action that only services call. */
  rest?: `${Method} /${string}`;
  /** One sentence for the API document. */
  summary: string;
  /**
   * Some sentences in Markdown for the API document: the effect of the call, its preconditions, the effect of a
   * repetition or a limit, and the answers that matter. Every endpoint of the platform has one, except pages.
   */
  description?: string;
  permission: P;
  /**
   * Whether a call changes nothing (RFC 9110 section 9.2.1). A safe call whose node dies or hangs is retried once on
   * another node. Default: a GET is safe.
   */
  safe?: boolean;
  /** `required`: the call must carry x-tenant-id (service calls). Default `inferred`: the credential decides. */
  tenant?: 'required' | 'inferred';
  /**
   * The organization that the input names; null when it does not exist. The permission is checked in that organization,
   * and a caller who does not belong to it gets NOT_FOUND. Undefined when the input may omit the organization and does:
   * then the caller's own applies, as without this function.
   */
  organization?: (input: ParsedOf<I>) => Promise<string | null> | string | null | undefined;
  /** Whether members of a suspended organization that the input names may call it, with a session. Default false. */
  whileSuspended?: boolean;
  /**
   * Whether this call requires no credential, because its input carries a valid signature of the platform, as a signed
   * link does, or names a public resource. An error that it throws refuses the call.
   */
  isPublicCall?: (input: ParsedOf<I>) => boolean | Promise<boolean>;
  input: I;
  /**
   * Default `json`. `text`: the raw body of any media type as a string. `form`: the fields as strings. `bytes` and
   * `stream`: `bytesInput` and `uploadInput` of lib/contract/contract.ts are the schemas of `body`.
   */
  takes?: Takes;
  output: O;
  /** Default `json`; the outputs of the others are in lib/contract/contract.ts. */
  answers?: Answers;
  /** The media type of answers of `bytes` and `stream`, for the API document. */
  mediaType?: string;
  exposure?: Exposure;
  /**
   * The cached validator (ETag, size) of the answer, or null. A request whose client has the same content is answered
   * 304 without a call. Only for public actions that answer `stream`.
   */
  validator?: (request: RawRequest) => KnownAnswer | null;
  /**
   * The CORS headers of an error response, where `exposure.cors` is `own`: equal to the headers of the answer it
   * replaces, so that pages that may read the answer can read the error. `code` is null for a server error. Only for
   * actions that answer `stream`, because they run on the node that has the connection.
   */
  corsOfRefusal?: (request: RawRequest, code: ErrorCode | null) => Promise<Record<string, string>>;
  /** The status of success; default 200, 204 when the output is `z.void()`, 303 for a redirect. */
  status?: SuccessStatus;
  /** The errors of this action, in addition to the errors of every action of its kind. */
  errors?: ErrorCode[];
  /**
   * Honours the Idempotency-Key header; required for every POST that creates or sends. `resume` finds the documents
   * that an earlier run of the operation stored, completes it and returns the answer; null proves that nothing was
   * stored. `rerun`: the handler is idempotent, so running it again completes the operation.
   */
  idempotent?: { resume: ((request: Request<I, P>) => Promise<z.input<O> | null>) | 'rerun' };
  /**
   * `fileBytes`: the body is a form with a file of at most this size; see `fileFormInput` of lib/contract/contract.ts.
   * `fromServers`: other servers call it many times a second, so an address gets the rate limit of a credential.
   * `milliseconds`: the timeout of the handler after the request has arrived; 0: none; by default the call timeout.
   * `thisMachineOnly`: only requests from the loopback interface reach it, while the platform serves no other machine.
   */
  limits?: {
    bodyBytes?: number;
    fileBytes?: number;
    fromServers?: boolean;
    milliseconds?: number;
    thisMachineOnly?: boolean;
  };
  /** The commands of the operator's console that call the action: see lib/contract/define-command.ts. */
  commands?: CommandDeclaration[];
  /**
   * Whether the input is validated (400) before the credential (401, 403), where the specification requires that order.
   */
  shapeFirst?: boolean;
  /**
   * One realistic request and its answer, for the API document. Every action with `rest` has one; a test parses it with
   * the schemas.
   */
  example?: Example<I, O>;
  /** Is called with the error of a call that failed, before the error is thrown. It must neither throw nor wait. */
  refused?: (error: unknown, ctx: Ctx) => void;
  handler: (request: Request<I, P>) => Promise<z.input<O>> | z.input<O>;
};

/**
 * The parts of an input that a request sends, and the answer to it; no answer where the output is `z.void()`. Streamed
 * content is omitted from both.
 */
export type Example<I extends InputSchemas, O extends z.ZodType> = Omit<InputOf<I>, StreamedPart<I>> &
  (O extends z.ZodVoid | typeof streamOutput ? { output?: never } : { output: z.input<O> });

type StreamedPart<I extends InputSchemas> = I['body'] extends z.ZodType<unknown, RawUpload> ? 'body' : never;

type SuccessStatus = 200 | 201 | 202 | 204 | 301 | 302 | 303 | 307 | 308;
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Rest = { method: Method; fullPath: string };

/** An action of a service, with its contract as data and its types for `call`. */
export type Action<I extends InputSchemas = InputSchemas, O extends z.ZodType = z.ZodType> = ActionSchema & {
  rest?: Rest;
  contract: Contract;
  schemas: () => { input: I; output: O };
  /** See {@link Definition}; present only on the node of the action. */
  validator?: Definition<I, O, Permission>['validator'];
  corsOfRefusal?: Definition<I, O, Permission>['corsOfRefusal'];
};

/**
 * Declares an action once. Its HTTP route, the validation of its input and output, its entry in the OpenAPI document
 * and the types of its callers all derive from the declaration.
 */
export function defineAction<I extends InputSchemas, O extends z.ZodType, P extends Permission>(
  definition: Definition<I, O, P>,
): Action<I, O> {
  const contract = contractOf(definition);
  return {
    ...(definition.rest && { rest: parseRest(definition.rest) }),
    visibility: definition.rest ? 'published' : 'public',
    ...timeoutOf(definition),
    contract,
    // Stored in a function, which Moleculer neither merges nor sends to other nodes; both would break zod objects.
    schemas: () => ({ input: definition.input, output: definition.output }),
    ...(definition.validator && { validator: definition.validator }),
    ...(definition.corsOfRefusal && { corsOfRefusal: definition.corsOfRefusal }),
    handler: (ctx: Ctx) => handle(definition, contract, ctx),
  };
}

/** The permissions of a user that no organization gives. */
const personal: ReadonlySet<Permission> = new Set<Permission>(['user', 'session', 'operator']);

/**
 * The call timeout. Internal actions have one because many requests may wait for the same call. The listener times out
 * requests itself; a stream needs no other timeout, because its action runs independently of the call.
 */
function timeoutOf<I extends InputSchemas, O extends z.ZodType, P extends Permission>({
  permission,
  takes,
  answers,
  limits,
}: Definition<I, O, P>): { timeout?: number } {
  if (permission !== 'internal' && (takes === 'stream' || answers === 'stream')) return {};
  const timeout = limits?.milliseconds ?? (permission === 'internal' ? callTimeout : undefined);
  return timeout === undefined ? {} : { timeout };
}

async function handle<I extends InputSchemas, O extends z.ZodType, P extends Permission>(
  definition: Definition<I, O, P>,
  contract: Contract,
  ctx: Ctx,
): Promise<unknown> {
  try {
    const isNamed = definition.organization !== undefined;
    if (!contract.shapeFirst) authorize(contract.permission, ctx.meta, isNamed);
    const input = parseInput(definition.input, ctx.params);
    if (!(await definition.isPublicCall?.(input))) await authorizeFor(definition, contract, input, ctx.meta);
    if (contract.permission === 'operator') ctx.meta.actsAsOperator = true;
    // The wrapper guarantees the conditional type: there is a caller unless the permission needs none.
    const toRequest = (operation: Operation) =>
      ({ ...input, caller: ctx.meta.caller ?? null, operation, ctx }) as Request<I, P>;
    const run = async (operation: Operation) =>
      checkOutput(definition, await definition.handler(toRequest(operation)), ctx);
    if (!definition.idempotent) return await run(newOperation());
    const { resume: find } = definition.idempotent;
    const recover = async (operation: Operation) => {
      const answer = find === 'rerun' ? null : await find(toRequest(operation));
      return answer === null ? null : checkOutput(definition, answer, ctx);
    };
    const isPersonal = !isNamed && personal.has(contract.permission);
    return await replayOrRun(ctx, input, { run, resume: recover, status: contract.status, isPersonal });
  } catch (error) {
    const refusal = outward(error, ctx);
    definition.refused?.(refusal, ctx);
    throw refusal;
  }
}

/** Checks the authorization rules that need the parsed input. */
async function authorizeFor<I extends InputSchemas, O extends z.ZodType, P extends Permission>(
  definition: Definition<I, O, P>,
  contract: Contract,
  input: ParsedOf<I>,
  meta: RequestMeta,
): Promise<void> {
  const isNamed = definition.organization !== undefined;
  if (contract.shapeFirst) authorize(contract.permission, meta, isNamed);
  const orgId = await definition.organization?.(input);
  if (orgId !== undefined)
    meta.caller = resolveOrganization(contract.permission, meta, orgId, definition.whileSuspended);
  else if (isNamed) authorize(contract.permission, meta, false);
}

/** Converts an error to one of the catalogue for the caller. The cause is only logged on this node. */
function outward(error: unknown, ctx: Context): unknown {
  const apiError = asApiError(error);
  if (isError(apiError, 'INTERNAL') || isDatabaseUnable(error)) {
    ctx.broker.logger.error(`${ctx.action?.name} failed`, { requestId: ctx.requestID, error });
  }
  return apiError;
}

function parseInput<I extends InputSchemas>(schemas: I, params: unknown): ParsedOf<I> {
  const parts = (params ?? {}) as Record<string, unknown>;
  const parsed: Record<string, unknown> = {};
  const details: ErrorDetail[] = [];
  for (const [part, schema] of Object.entries(schemas)) {
    const error = part === 'query' ? queryMessage : inputMessage;
    // A caller of an earlier release sends no query to an action that has one since.
    const value = part === 'query' ? (parts.query ?? {}) : parts[part];
    const result = (schema as z.ZodType).safeParse(value, { error });
    if (result.success) parsed[part] = result.data;
    else details.push(...result.error.issues.flatMap((issue) => detailsOf(part, issue)));
  }
  if (details.length > 0) throw inputError(details);
  return parsed as ParsedOf<I>;
}

/**
 * Validates an answer against its declaration. A mismatch throws in tests and development, and is logged in production.
 */
function checkOutput<I extends InputSchemas, O extends z.ZodType, P extends Permission>(
  definition: Definition<I, O, P>,
  output: unknown,
  ctx: Context,
): unknown {
  const result = definition.output.safeParse(output);
  if (result.success) return output;
  const problem = `${ctx.action?.name} returned an answer that violates its contract: ${z.prettifyError(result.error)}`;
  if (!settings.production) throw new Error(problem);
  ctx.broker.logger.error(problem);
  return output;
}

function parseRest(rest: `${Method} /${string}`): Rest {
  const [method, fullPath] = rest.split(' ') as [Method, string];
  return { method, fullPath };
}
