import { expect } from '@jest/globals';
import { covers } from './covers.ts';
import { ledger } from './ledger.ts';

covers('operator.refused', async ({ own, owner }) => {
  const routes = Object.values(ledger).flatMap(({ route }) => (route?.includes(' /operator/') ? [route] : []));
  expect(routes.length).toBeGreaterThan(10);
  const statuses = await Promise.all(
    routes.map(async (route) => {
      const [method = '', pattern = ''] = route.split(' ');
      const path = pattern.replace(/:\w+/g, 'x');
      const body = method === 'GET' ? undefined : {};
      const nobody = await owner.send(method, path, body, { cookie: null });
      return [nobody, await owner.send(method, path, body), await own.send(method, path, body)].map(
        ({ status }) => status,
      );
    }),
  );
  expect(statuses).toEqual(routes.map(() => [401, 403, 403]));
});
