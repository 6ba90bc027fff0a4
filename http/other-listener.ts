import type { ServiceBroker } from 'moleculer';
import type { Contract } from '../lib/contract/contract.ts';
import { apiError } from '../lib/contract/errors.ts';
import { settings } from '../lib/settings/settings.ts';
import type { Route } from './dispatch.ts';

type Listed = { action?: { name: string; rest?: { fullPath: string }; contract?: Contract } };
type ListedService = { name: string; metadata?: { servedAt?: string } };
type Served = { pattern: RegExp; url: string };

const tables = new WeakMap<Route[], Served[]>();
const maxPathLength = 200;

/**
 * The error of a path that a listener does not have. Each listener has another port, so a path of another one is
 * most likely a mistaken port: the message then has the address.
 *
 * @param routes - the routes of this listener. The table of all paths is cached by their list, of which moleculer-web
 * creates a new one when services start or stop.
 */
export function unknownPath(broker: ServiceBroker, routes: Route[], method: string, path: string): Error {
  const url = tableOf(broker, routes).find(({ pattern }) => pattern.test(path))?.url;
  if (url === undefined) return noSuchPath(method, path);
  const shown = path.slice(0, maxPathLength);
  return apiError('ROUTE_NOT_FOUND', { message: `${shown} is at another address: ${url}${shown}.` });
}

/** The error of an unknown path, and of one that is hidden from the caller: both answers are alike. */
export function noSuchPath(method: string, path: string): Error {
  const shown = path.slice(0, maxPathLength);
  const message = `There is no ${method} ${shown}; the list of paths is at ${settings.PUBLIC_URL}/openapi.json.`;
  return apiError('ROUTE_NOT_FOUND', { message });
}

function tableOf(broker: ServiceBroker, routes: Route[]): Served[] {
  const known = tables.get(routes);
  if (known) return known;
  const services = broker.registry.getServiceList({ onlyAvailable: true }) as ListedService[];
  const addresses = new Map(services.map(({ name, metadata }) => [name, metadata?.servedAt]));
  const listed = broker.registry.getActionList({ onlyAvailable: true }) as Listed[];
  const table = listed.flatMap(({ action }): Served[] => {
    // The development pages are not named to other machines.
    if (!action?.rest || !action.contract || action.contract.thisMachineOnly) return [];
    const own = addresses.get(action.name.slice(0, action.name.indexOf('.')));
    // Pages are at the platform's address.
    const url = action.contract.answers === 'html' ? settings.PUBLIC_URL : (own ?? settings.PUBLIC_URL);
    return [{ pattern: patternOf(action.rest.fullPath), url }];
  });
  tables.set(routes, table);
  return table;
}

/** The paths of a route, by moleculer-web's syntax: `:name` is one segment, `*name` the rest. */
function patternOf(fullPath: string): RegExp {
  const segments = fullPath.split('/').map((segment) => {
    if (segment.startsWith('*')) return '.+';
    return segment.startsWith(':') ? '[^/]+' : segment.replace(/[.$+?()[\]{}|\\^]/g, '\\$&');
  });
  return new RegExp(`^${segments.join('/')}/?$`, 'i');
}
