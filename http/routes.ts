import type { HttpRequest, HttpResponse } from './exchange.ts';
import type { HttpListener } from './handler.ts';

/** Answers a request without an action. */
export type OwnHandler = (this: HttpListener, request: HttpRequest, response: HttpResponse) => void | Promise<void>;

/** A route of moleculer-web from a service's declaration, to an action or to a handler of the listener. */
export type Route = {
  method: string;
  /** The pattern of the path, such as `/v1/story/customers/:customerId`. */
  fullPath: string;
  action: string | null;
  handler: OwnHandler | null;
  match: (path: string) => Record<string, string> | false;
};

export type FoundRoute = { route: Route; parameters: Record<string, string> };

export type RouteTable = {
  find: (method: string, path: string) => FoundRoute | null;
  /** The routes of a path, of all methods. */
  at: (path: string) => Route[];
};

const tables = new WeakMap<Route[], RouteTable>();

/**
 * The table of a list of routes, in the order of precedence. It is cached per list: moleculer-web creates a new list
 * when services start or stop.
 */
export function routesOf(list: Route[]): RouteTable {
  const known = tables.get(list);
  if (known) return known;
  const table = createTable(list);
  tables.set(list, table);
  return table;
}

/**
 * Indexes the routes by fixed path and by depth, because there are about a hundred. The route's pattern then decides
 * whether it matches; it ignores case and one trailing slash.
 */
function createTable(routes: Route[]): RouteTable {
  const [fixed, others] = partition(routes, ({ fullPath }) => !/[:*{]/.test(fullPath));
  const [ofOneDepth, ofAnyDepth] = partition(others, ({ fullPath }) => !/[*{]/.test(fullPath));
  const byPath = Map.groupBy(fixed, ({ fullPath }) => fullPath.toLowerCase());
  const byDepth = Map.groupBy(ofOneDepth, ({ fullPath }) => depthOf(fullPath));

  /** A generator, because most requests match in the first list. */
  function* candidatesAt(path: string): Generator<Route[] | undefined> {
    const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    yield byPath.get(bare.toLowerCase());
    yield byDepth.get(depthOf(bare));
    yield ofAnyDepth;
  }

  return {
    find(method, path) {
      for (const candidates of candidatesAt(path)) {
        for (const route of candidates ?? []) {
          const parameters = route.method === method && route.match(path);
          if (parameters) return { route, parameters };
        }
      }
      return null;
    },
    at(path) {
      const candidates = [...candidatesAt(path)].flatMap((routes) => routes ?? []);
      return candidates.filter((route) => route.match(path));
    },
  };
}

function partition(routes: Route[], belongs: (route: Route) => boolean): [Route[], Route[]] {
  return [routes.filter(belongs), routes.filter((route) => !belongs(route))];
}

function depthOf(path: string): number {
  return path.split('/').length;
}
