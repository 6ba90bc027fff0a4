import { expect, test } from '@jest/globals';
import { parseSettings } from '../../../lib/settings/variables.ts';
import { natsOptions } from '../../../mixins/nats.ts';

const pool = { MONGO_URL: 'mongodb://localhost/x', SECRET_KEY: 'x'.repeat(32) };
const optionsOf = (NATS_URL: string) => natsOptions(parseSettings({ ...pool, NATS_URL }).NATS_URL!);

test.each([
  ['nats://one:4222', { servers: ['one:4222'] }],
  ['nats://one:4222, nats://two:4223', { servers: ['one:4222', 'two:4223'] }],
  [
    'tls://ada:s%40fe@one:4222,tls://ada:s%40fe@two:4222',
    { servers: ['one:4222', 'two:4222'], user: 'ada', pass: 's@fe', tls: {} },
  ],
  ['nats://token@one:4222,nats://token@two:4222', { servers: ['one:4222', 'two:4222'], token: 'token' }],
])('%s is options of the client of NATS', (url, options) => {
  expect(optionsOf(url)).toMatchObject(options);
});
