import { z } from 'zod';

/** All plans, from the smallest to the largest. */
export const planNames = ['free', 'pro', 'scale'] as const;
export type PlanName = (typeof planNames)[number];

/**
 * A limit that a service declares: of a meter, which billing counts per UTC `day` or `month` or as a `gauge`, or of a
 * `count` of resources, which the service counts.
 */
export type DeclaredLimit = {
  kind: 'day' | 'month' | 'gauge' | 'count';
  /** The plural of a unit within a sentence: `greetings`, `API calls`. */
  name: string;
  /** Whole units by plan. A meter that is null is not included in the plan. */
  limits: Record<PlanName, number | null>;
};

/** The name of a declared limit: the service, a dot, and a word in camel case. `&` keeps built-in names in completions. */
export type DeclaredLimitName = `${string}.${string}` & {};

/** A name that is also safe in a counter's key, a metric's label and a JSON field. */
export const limitNamePattern = /^[a-z][a-z0-9-]{0,39}\.[a-z][A-Za-z0-9]{0,63}$/;

/** The groups of the platform's own limits in the entitlements of a plan; no service can declare limits in them. */
const builtInGroups: ReadonlySet<string> = new Set([
  'access',
  'billing',
  'connect',
  'console',
  'content',
  'context',
  'identity',
  'intelligence',
  'mail',
  'notification',
  'pulse',
  'storage',
]);

/** The service of a limit: the part of its name before the dot. */
export function groupOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** Whether a limit's group is the platform's own. */
export function isInBuiltInGroup(name: string): boolean {
  return builtInGroups.has(groupOf(name));
}

const name = z
  .string()
  .max(60)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ’'().-]*$/u, 'must be letters, digits and spaces');
const units = z.int().min(0);

const byPlan = <V extends z.ZodType>(value: V) =>
  z.strictObject(Object.fromEntries(planNames.map((plan) => [plan, value])) as Record<PlanName, V>);

const meters = z.record(
  z.string(),
  z.strictObject({ kind: z.enum(['day', 'month', 'gauge']), name, limits: byPlan(units.nullable()) }),
);
const counts = z.record(z.string(), z.strictObject({ name, limits: byPlan(units) }));

/** The part of a service's `metadata` that declares limits; see {@link readLimits}. */
export type LimitDeclarations = {
  meters?: Record<string, DeclaredLimit & { kind: 'day' | 'month' | 'gauge' }>;
  limits?: Record<string, Pick<DeclaredLimit, 'name'> & { limits: Record<PlanName, number> }>;
};

/** Each is read and shown wherever an organization's usage is. */
const maxOfService = 32;

/**
 * Parses `metadata.meters` and `metadata.limits` of a service: `{ 'hello.greetingsPerDay': { kind, name, limits } }` and
 * `{ 'hello.greetings': { name, limits } }`. The namespace is the service's name, so that two services cannot share one.
 *
 * @throws Error naming the invalid part.
 */
export function readLimits(
  service: string,
  declared: { meters?: unknown; limits?: unknown },
): Record<string, DeclaredLimit> {
  const ofMeters = parse('meters', meters, declared.meters);
  const ofCounts = parse('limits', counts, declared.limits);
  const twice = Object.keys(ofCounts).find((one) => Object.hasOwn(ofMeters, one));
  if (twice !== undefined) throw new Error(`it declares ${twice} as a meter and as a limit`);
  const all = new Map<string, DeclaredLimit>(Object.entries(ofMeters));
  for (const [one, limit] of Object.entries(ofCounts)) all.set(one, { kind: 'count', ...limit });
  if (all.size > 0 && builtInGroups.has(service)) {
    throw new Error(`the namespace ${service} of its meters and limits is reserved for the platform`);
  }
  if (all.size > maxOfService) throw new Error(`it declares more than ${maxOfService} meters and limits`);
  const wrong = [...all.keys()].find((one) => !limitNamePattern.test(one) || groupOf(one) !== service);
  if (wrong !== undefined) throw new Error(`the name of its limit ${wrong} must read ${service}.wordInCamelCase`);
  return Object.fromEntries(all);
}

function parse<S extends z.ZodType>(what: string, schema: S, declared: unknown = {}): z.output<S> {
  const { data, error } = schema.safeParse(declared);
  if (error) throw new Error(`its declaration of ${what} is invalid: ${z.prettifyError(error)}`);
  return data;
}

/**
 * Merges the declarations of a limit by two versions of its service, which run at the same time during an update: the
 * larger number holds, so that no version refuses what the other one allows. Both are of one kind.
 */
export function mergeLimits(one: DeclaredLimit, other: DeclaredLimit): DeclaredLimit {
  const limits = Object.fromEntries(planNames.map((plan) => [plan, larger(one.limits[plan], other.limits[plan])]));
  return { ...one, limits: limits as DeclaredLimit['limits'] };
}

function larger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}
