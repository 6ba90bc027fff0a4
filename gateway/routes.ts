import type { Service } from 'moleculer';
import type { GatewayRequest, GatewayResponse } from './exchange.ts';
import type { Tools } from './pipeline.ts';

export type OwnHandler = (
  this: Service & { tools: Tools; aliases: Route[] },
  request: GatewayRequest,
  response: GatewayResponse,
) => void | Promise<void>;

/** A route as moleculer-web makes it of what a service declares: it leads to an action, or to a handler of our own. */
export type Route = {
  method: string;
  /** The pattern of its path, such as `/v1/story/customers/:customerId`. */
  fullPath: string;
  action: string | null;
  handler: OwnHandler | null;
  match: (path: string) => Record<string, string> | false;
};

export type FoundRoute = { route: Route; parameters: Record<string, string> };

/** Whether a route exists for the caller. */
type Exists = (route: Route) => boolean;

export type RouteTable = {
  find: (method: string, path: string, exists: Exists) => FoundRoute | null;
  /** The methods that a path takes; empty when there is no such path. */
  methodsAt: (path: string, exists: Exists) => Set<string>;
};

const tables = new WeakMap<Route[], RouteTable>();

/**
 * The table of a list of routes in the order in which they are to be tried. It is made once: moleculer-web makes a new
 * list when services come or go.
 */
export function routesOf(list: Route[]): RouteTable {
  const known = tables.get(list);
  if (known) return known;
  const table = createTable(list);
  tables.set(list, table);
  return table;
}

/**
 * Has the routes by what a path must be like to match them at all, because there are a hundred of them. Whether one
 * does, its own pattern decides: letters of either case are the same to it, and one slash may follow the path.
 */
function createTable(routes: Route[]): RouteTable {
  const [fixed, others] = partition(routes, ({ fullPath }) => !/[:*{]/.test(fullPath));
  const [ofOneDepth, ofAnyDepth] = partition(others, ({ fullPath }) => !/[*{]/.test(fullPath));
  const byPath = Map.groupBy(fixed, ({ fullPath }) => fullPath.toLowerCase());
  const byDepth = Map.groupBy(ofOneDepth, ({ fullPath }) => depthOf(fullPath));

  /** Lists are made only as far as they are asked for: most requests end at the first. */
  function* candidatesAt(path: string): Generator<Route[] | undefined> {
    const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    yield byPath.get(bare.toLowerCase());
    yield byDepth.get(depthOf(bare));
    yield ofAnyDepth;
  }

  return {
    find(method, path, exists) {
      for (const candidates of candidatesAt(path)) {
        for (const route of candidates ?? []) {
          const parameters = route.method === method && exists(route) && route.match(path);
          if (parameters) return { route, parameters };
        }
      }
      return null;
    },
    methodsAt(path, exists) {
      const candidates = [...candidatesAt(path)].flatMap((routes) => routes ?? []);
      const matching = candidates.filter((route) => exists(route) && route.match(path));
      return new Set(matching.map(({ method }) => method));
    },
  };
}

function partition(routes: Route[], belongs: (route: Route) => boolean): [Route[], Route[]] {
  return [routes.filter(belongs), routes.filter((route) => !belongs(route))];
}

function depthOf(path: string): number {
  return path.split('/').length;
}
