import { z } from 'zod';
import type { Definition, InputSchemas } from './action.ts';
import type { Permission } from './authorize.ts';
import type { ErrorCode } from './errors.ts';

export type JsonSchema = Record<string, unknown>;

export type FileType = 'application/pdf';

/** The contract of an action as other nodes see it: plain data, because the registry carries it. */
export type Contract = {
  summary: string;
  permission: Permission;
  tenant: 'required' | 'inferred';
  status: number;
  errors: ErrorCode[];
  idempotent: boolean;
  bodyLimitBytes: number;
  fromServers: boolean;
  shapeFirst: boolean;
  /** Whether a signature in the input may stand in for a credential. */
  signed: boolean;
  takes: 'json' | 'text';
  answers: FileType | 'application/json';
  input: Partial<Record<keyof InputSchemas, JsonSchema>>;
  output: JsonSchema | null;
};

const defaultBodyLimitBytes = 100 * 1024;

/** The contract of a definition; throws when the definition is contradictory. */
export function contractOf<I extends InputSchemas, O extends z.ZodType, P extends Permission>(
  definition: Definition<I, O, P>,
): Contract {
  const answersNothing = definition.output instanceof z.ZodVoid;
  const input: Contract['input'] = {};
  for (const [part, schema] of Object.entries(definition.input)) {
    input[part as keyof InputSchemas] = toJsonSchema(schema as z.ZodType, 'input');
  }
  const contract: Contract = {
    summary: definition.summary,
    permission: definition.permission,
    tenant: definition.tenant ?? 'inferred',
    status: definition.status ?? (answersNothing ? 204 : 200),
    errors: definition.errors ?? [],
    idempotent: definition.idempotent !== undefined,
    bodyLimitBytes: definition.limits?.bodyBytes ?? defaultBodyLimitBytes,
    fromServers: definition.limits?.fromServers ?? false,
    // Only the parsed input shows whether there is a signature.
    shapeFirst: definition.shapeFirst ?? definition.signed !== undefined,
    signed: definition.signed !== undefined,
    takes: definition.takes ?? 'json',
    answers: definition.answers ?? 'application/json',
    input,
    output: answersNothing ? null : toJsonSchema(definition.output, 'output'),
  };
  requireIdempotency(definition.rest, contract);
  return contract;
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...document } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return document;
}

/** A POST that creates (201) or sends (202) has to survive a retry. */
function requireIdempotency(rest: string | undefined, { status, idempotent }: Contract): void {
  const makesMore = rest?.startsWith('POST ') && (status === 201 || status === 202);
  if (makesMore && !idempotent) throw new Error(`${rest} answers ${status}: it has to be idempotent.`);
}
