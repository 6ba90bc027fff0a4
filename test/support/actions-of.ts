import type { ServiceSchema } from 'moleculer';

/** The actions of a service whose names begin with one of these, for a broker that runs a part of the service. */
export function actionsOf(
  { actions }: { actions?: unknown },
  ...beginnings: string[]
): NonNullable<ServiceSchema['actions']> {
  const all = Object.entries(actions as NonNullable<ServiceSchema['actions']>);
  const chosen = all.filter(([name]) => beginnings.some((beginning) => name.startsWith(beginning)));
  if (chosen.length === 0) throw new Error(`The service has no action ${beginnings.join(', ')}.`);
  return Object.fromEntries(chosen);
}
