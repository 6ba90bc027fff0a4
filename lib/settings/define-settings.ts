import type { z } from 'zod';
import { StartError } from './start-error.ts';

/** One environment variable: its description, a valid example, and its schema over the raw text. */
export type Variable<T extends z.ZodType = z.ZodType> = { about: string; example: string; schema: T };

export type Variables = Record<string, Variable>;

export type Parsed<V extends Variables> = Readonly<{ [K in keyof V]: z.output<V[K]['schema']> }>;

type Declared = { variables: Variables; values: Record<string, unknown> };

const declared = new Map<string, Declared>();

/** Adds the platform's own variables, whose values are in `settings`, to the declared ones. */
export function reserveVariables(variables: Variables): void {
  declared.set('platform', { variables, values: {} });
}

/**
 * Declares the environment variables of a service, and parses them. It is called in the service's `settings.ts`, so
 * that an invalid variable ends the start, or the load, before the service runs.
 *
 * @throws StartError naming every invalid variable, one a line, with a valid example; Error for a variable that another service declares.
 */
export function defineSettings<V extends Variables>(service: string, variables: V): Parsed<V> {
  for (const [other, { variables: theirs }] of declared) {
    const taken = Object.keys(variables).find((name) => other !== service && Object.hasOwn(theirs, name));
    if (taken !== undefined) throw new Error(`the variable ${taken} is already declared by ${other}`);
  }
  const { values, problems } = parseVariables(variables, process.env);
  declared.set(service, { variables, values });
  if (problems.length > 0) throw new StartError(problems.join('\n'));
  return Object.freeze(values) as Parsed<V>;
}

/** All declared variables, the platform's first, with the values of the services. */
export function declaredSettings(): Declared {
  const all = [...declared.values()];
  return {
    variables: Object.assign({}, ...all.map(({ variables }) => variables)),
    values: Object.assign({}, ...all.map(({ values }) => values)),
  };
}

/** Parses variables, and names the problem of each invalid one. An empty text counts as unset. */
export function parseVariables(
  variables: Variables,
  environment: Record<string, string | undefined>,
): { values: Record<string, unknown>; problems: string[] } {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, { schema, example }] of Object.entries(variables)) {
    const result = schema.safeParse(environment[name] === '' ? undefined : environment[name]);
    if (result.success) values[name] = result.data;
    else problems.push(`${name} ${result.error.issues[0]?.message ?? 'is wrong'}; for example ${name}=${example}`);
  }
  return { values, problems };
}
