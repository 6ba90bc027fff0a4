import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Service, ServiceBroker } from 'moleculer';
import ApiGateway from 'moleculer-web';
import { type Route, routesOf } from '../../../http/dispatch.ts';

type Listing = Service & {
  aliases: Route[];
  resolveAlias: (path: string, method: string) => { alias: Route; params: object } | false;
};

/** What moleculer-web makes of these declarations, and how it finds them itself. */
function listingOf(declarations: string[]): Listing {
  const aliases = Object.fromEntries(declarations.map((declaration) => [declaration, `some.action${declaration}`]));
  return new ServiceBroker({ logger: false }).createService({
    name: 'gateway',
    mixins: [ApiGateway as never],
    settings: { server: false, logRouteRegistration: false, routes: [{ path: '/', aliases }] },
  }) as Listing;
}

const declarations = [
  'GET /',
  'GET /organizations',
  'POST /organizations',
  'GET /organizations/:slug',
  'PATCH /organizations/:slug',
  'GET /organizations/:slug/members',
  'DELETE /organizations/:slug/members/:userId',
  'POST /organizations/invitations',
  'POST /organizations/invitations/:token/accept',
  'GET /objects/*key',
  'GET /Mixed/Case',
  'GET /reports{/:year}',
];
const listing = listingOf(declarations);
const routes = routesOf(listing.aliases);
const found = (method: string, path: string) => {
  const { route, parameters } = routes.find(method, path) ?? {};
  return route ? [`${route.method} ${route.fullPath}`, { ...parameters }] : null;
};

describe('the route of a request', () => {
  test.each([
    ['GET', '/', 'GET /', {}],
    ['GET', '/organizations/acme', 'GET /organizations/:slug', { slug: 'acme' }],
    ['GET', '/organizations/invitations', 'GET /organizations/:slug', { slug: 'invitations' }],
    ['POST', '/organizations/invitations', 'POST /organizations/invitations', {}],
    ['GET', '/organizations/a%2Fb', 'GET /organizations/:slug', { slug: 'a/b' }],
    ['GET', '/ORGANIZATIONS/Acme/', 'GET /organizations/:slug', { slug: 'Acme' }],
    ['GET', '/mixed/case', 'GET /Mixed/Case', {}],
    ['GET', '/objects/a/b/c', 'GET /objects/*key', { key: 'a/b/c' }],
    ['GET', '/reports', 'GET /reports{/:year}', {}],
    ['GET', '/reports/2026', 'GET /reports{/:year}', { year: '2026' }],
  ])('%s %s is %s', (method, path, route, parameters) => {
    expect(found(method, path)).toEqual([route, parameters]);
  });

  test.each([
    ['PUT', '/organizations'],
    ['GET', '/organizations//members'],
    ['GET', '/organization'],
    ['GET', '/organizations%2Facme'],
    ['GET', '//organizations'],
  ])('%s %s is none', (method, path) => {
    expect(found(method, path)).toBeNull();
  });

  const segments = fc.constantFrom(
    '',
    'organizations',
    'invitations',
    'members',
    'Acme',
    'objects',
    'reports',
    'a%2Fb',
  );
  const paths = fc.array(segments, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`);
  const methods = fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT');

  test('is the one that moleculer-web finds', () => {
    fc.assert(
      fc.property(methods, paths, (method, path) => {
        const expected = listing.resolveAlias(path, method);
        const { route, parameters } = routes.find(method, path) ?? {};
        expect(route ?? null).toBe(expected ? expected.alias : null);
        if (expected) expect(parameters).toEqual(expected.params);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the methods of the routes at a path', () => {
  test.each([
    ['/organizations', ['GET', 'POST']],
    ['/organizations/acme', ['GET', 'PATCH']],
    ['/organizations/invitations', ['GET', 'PATCH', 'POST']],
    ['/nothing', []],
  ])('%s are %p', (path, methods) => {
    expect(
      routes
        .at(path)
        .map(({ method }) => method)
        .sort(),
    ).toEqual(methods);
  });
});
