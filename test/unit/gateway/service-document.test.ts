import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ListedAction, type ListedService, openApiDocument } from '../../../gateway/openapi.ts';
import type { Action } from '../../../lib/contract/define-action.ts';
import { completeContracts } from '../../../lib/contract/service-document.ts';
import { findServices, readService } from '../../../runtime/load-service.ts';

/** The default `max_payload` of NATS, in bytes. */
const maxMessage = 1024 * 1024;

let listed: ListedAction[];
let services: ListedService[];

beforeAll(async () => {
  const schemas = await Promise.all([...(await findServices()).values()].map((file) => readService(file)));
  services = schemas as ListedService[];
  listed = schemas.flatMap(({ name, actions }) =>
    Object.entries((actions ?? {}) as Record<string, Action>).map(
      ([key, { rest, contract }]) => ({ action: { rest, contract, name: `${name}.${key}` } }) as ListedAction,
    ),
  );
});

/** What another node gets of it. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('the contracts of all services, as another node gets them', () => {
  test('make the same API document', () => {
    const others = sent(services);
    const there = openApiDocument(completeContracts(sent(listed), others), others);
    expect(sent(there)).toEqual(sent(openApiDocument(listed, services)));
  });

  test('take less than half of one message', () => {
    const metadata = services.map((service) => service.metadata);
    expect(JSON.stringify([listed, metadata]).length).toBeLessThan(maxMessage / 2);
  });

  test('are completed by what any node of an update has', () => {
    const { metadata, name } = sent(services.find((service) => service.name === 'identity')) as ListedService;
    const [me] = sent(listed).filter(({ action }) => action?.name === 'identity.me.read');
    const older = { name, metadata: { document: services.find((one) => one.name === 'mail')?.metadata?.document } };
    const [completed] = completeContracts(
      [me as ListedAction],
      [sent(older) as ListedService, { name, metadata } as ListedService],
    );
    expect(me?.action?.contract?.output).toEqual({});
    expect(completed?.action?.contract?.output).toMatchObject({ $defs: { CurrentUser: {} } });
    expect(completeContracts([me as ListedAction], [{ name } as ListedService])).toEqual([me]);
  });
});
