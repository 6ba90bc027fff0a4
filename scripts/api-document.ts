import type { ServiceSchema } from 'moleculer';
import { type ListedService, openApiDocument } from '../gateway/openapi.ts';
import type { JsonSchema } from '../lib/contract/contract.ts';
import type { Action } from '../lib/contract/define-action.ts';

/** The API document of services that do not run, and the operations that it does not mark as changing nothing. */
export type ApiDescription = {
  document: JsonSchema;
  /** `POST /access/check` and others that are not GET. */
  safe: string[];
};

/** Describes the API of services from their schemas. */
export function describeApi(schemas: ServiceSchema[]): ApiDescription {
  const actions = schemas.flatMap(({ name, actions: own = {} }) =>
    Object.entries(own as Record<string, Action>).map(([key, action]) => ({ ...action, name: `${name}.${key}` })),
  );
  const listed = actions.map((action) => ({ action }));
  const safe = actions.flatMap(({ rest, contract }) =>
    rest && rest.method !== 'GET' && contract.safe && contract.answers !== 'html'
      ? [`${rest.method} ${rest.fullPath.replace(/[:*](\w+)/g, '{$1}')}`]
      : [],
  );
  return { document: openApiDocument(listed, schemas as ListedService[]), safe };
}
