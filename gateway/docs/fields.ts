import type { JsonSchema } from '../../lib/contract/contract.ts';
import { type Html, html } from '../../web/html.ts';
import type { Parameter } from './operations.ts';
import { texts } from './texts.ts';

/** A row of a table of fields. */
export type Field = { name: string; type: string; isRequired: boolean; description: string };

export type Schemas = Readonly<Record<string, JsonSchema>>;

/** The depth at which a table of fields ends; deeper fields are in the example. */
const maxDepth = 4;

/** The fields of a schema, including its objects and lists: `items[].name`. */
export function fieldsOf(schema: JsonSchema, schemas: Schemas, prefix = '', depth = 0): Field[] {
  const resolved = resolve(schema, schemas);
  const required = new Set((resolved.required ?? []) as string[]);
  const properties = Object.entries((resolved.properties ?? {}) as Record<string, JsonSchema>);
  return properties.flatMap(([name, property]) => {
    const own = resolve(property, schemas);
    const description = String(property.description ?? own.description ?? '');
    const field = { name: prefix + name, type: typeOf(property, schemas), isRequired: required.has(name), description };
    if (depth === maxDepth) return [field];
    const items = own.type === 'array' ? resolve((own.items ?? {}) as JsonSchema, schemas) : null;
    const inner = items
      ? fieldsOf(items, schemas, `${field.name}[].`, depth + 1)
      : fieldsOf(own, schemas, `${field.name}.`, depth + 1);
    return [field, ...inner];
  });
}

export function parameterField({ name, isRequired, description, schema }: Parameter, schemas: Schemas): Field {
  return { name, type: typeOf(schema, schemas), isRequired, description };
}

/** Follows a reference, and takes the one that is not null of two alternatives. */
function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  if (typeof schema.$ref === 'string') return resolve(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas);
  const [only, ...others] = alternativesOf(schema).filter(({ type }) => type !== 'null');
  return only && others.length === 0 ? resolve(only, schemas) : schema;
}

function alternativesOf(schema: JsonSchema): JsonSchema[] {
  return (schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[];
}

/** The type of a value in words, with its limits. */
function typeOf(schema: JsonSchema, schemas: Schemas): string {
  const t = texts().api.types;
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return [...new Set(alternatives.map((one) => typeOf(one, schemas)))].join(t.or);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => JSON.stringify(one)).join(t.or);
  const resolved = resolve(schema, schemas);
  if (resolved !== schema) return typeOf(resolved, schemas);
  const type = Array.isArray(schema.type) ? schema.type.join(t.or) : String(schema.type ?? t.any);
  if (type === 'array') return t.listOf(typeOf((schema.items ?? {}) as JsonSchema, schemas));
  return [type === 'string' && schema.format !== undefined ? String(schema.format) : type, limitsOf(schema)]
    .filter(Boolean)
    .join(', ');
}

function limitsOf({ minLength, maxLength, minimum, maximum }: JsonSchema): string {
  const t = texts().api.types;
  if (typeof maxLength === 'number') return t.characters(Number(minLength ?? 0), maxLength);
  const isBounded = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER;
  if (isBounded) return t.between(Number(minimum ?? 0), Number(maximum));
  return typeof minimum === 'number' && minimum > -Number.MAX_SAFE_INTEGER ? t.atLeast(minimum) : '';
}

/** Renders fields with their type and meaning. Optional ones are marked, as in forms. */
export function renderFields(fields: readonly Field[], label: string, words: (text: string) => Html): Html | null {
  if (fields.length === 0) return null;
  const t = texts().api;
  return html`<div class="scroller" tabindex="0" role="group" aria-label="${label}"><table class="fields"><thead><tr><th scope="col">${label}</th><th scope="col">${t.type}</th></tr></thead><tbody>${fields.map(
    ({
      name,
      type,
      isRequired,
      description,
    }) => html`<tr><td><code>${name}</code>${!isRequired && html` <span class="opt">${t.optional}</span>`}</td><td><span class="type">${type}</span>${description !== '' && words(description)}</td></tr>
`,
  )}</tbody></table></div>`;
}
