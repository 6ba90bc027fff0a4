import { expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';

test('the mixins of a service start from the last to the first, before itself, and stop the other way round', async () => {
  const steps: string[] = [];
  const tells = (name: string) => ({
    started: () => void steps.push(`${name} starts`),
    stopped: () => void steps.push(`${name} stops`),
  });
  const broker = new ServiceBroker({ logger: false });
  broker.createService({ name: 'it', mixins: [tells('first'), tells('last')], ...tells('own') });
  await broker.start();
  await broker.stop();
  expect(steps).toEqual(['last starts', 'first starts', 'own starts', 'own stops', 'first stops', 'last stops']);
});
