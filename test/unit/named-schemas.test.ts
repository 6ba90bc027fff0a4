import { expect, test } from '@jest/globals';
import { dataOf } from '../../lib/contract/contract.ts';
import type { Action } from '../../lib/contract/define-action.ts';
import { findServices, readService } from '../../runtime/load-service.ts';

type Named = { $defs?: Record<string, object> };

async function schemasOfContracts(): Promise<Named[]> {
  const services = await Promise.all([...(await findServices()).values()].map((file) => readService(file)));
  const actions = services.flatMap(({ actions: of }) => Object.values((of ?? {}) as Record<string, Action>));
  return actions
    .filter(({ rest, contract }) => rest !== undefined && contract.answers !== 'html')
    .flatMap(({ contract }) => [...Object.values(contract.input), contract.output])
    .flatMap((part): Named[] => [dataOf(part) ?? {}]);
}

test('a name of a schema stands for one schema in all operations of the API document', async () => {
  const known = new Map<string, string>();
  const repeated = new Set<string>();
  for (const { $defs = {} } of await schemasOfContracts()) {
    for (const [name, schema] of Object.entries($defs)) {
      const text = JSON.stringify(schema);
      if ((known.get(name) ?? text) !== text) repeated.add(name);
      known.set(name, text);
    }
  }
  expect([...repeated]).toEqual([]);
  expect([...known.keys()]).toEqual(expect.arrayContaining(['ApiKey', 'Bucket', 'BucketPage', 'MailTemplate']));
});
