import { afterEach, describe, expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import {
  completeJoin,
  differenceOf,
  isOutsidePool,
  joinPool,
  type PoolValues,
  poolMembership,
} from '../../../mixins/pool-membership.ts';
import { until } from '../../support/until.ts';

describe('two nodes', () => {
  const own = { database: 'a', PUBLIC_URL: 'https://a.example.com', mail: 'on', 'plan pro@1': 'x' };
  test.each([
    [{ database: 'b' }, /^MONGO_URL names another database than that of the node first: /],
    [
      { PUBLIC_URL: 'https://b' },
      /^PUBLIC_URL must .*: it is https:\/\/a\.example\.com here and https:\/\/b on the node first\.$/,
    ],
    [{ mail: 'off' }, /^SMTP_URL must .*: mail is on here and off on the node first\.$/],
    [{ 'plan pro@1': 'y' }, /^The plans differ: pro@1 is not the same here and on the node first\./],
  ])('differ by %j', (theirs, sentence) => {
    expect(differenceOf(own, theirs as PoolValues, 'first')).toMatch(sentence);
  });

  test('do not differ by a value that one of them lacks', () => {
    expect(differenceOf(own, { 'plan pro@2': 'y' }, 'first')).toBeNull();
    expect(differenceOf(own, own, 'first')).toBeNull();
  });
});

describe('nodes that meet', () => {
  const brokers: ServiceBroker[] = [];
  afterEach(async () => {
    await Promise.all(brokers.splice(0).map((broker) => broker.stop()));
  });

  async function start(nodeID: string, database: string) {
    const broker = new ServiceBroker({ nodeID, logger: false, transporter: 'Fake', middlewares: [poolMembership()] });
    brokers.push(broker);
    joinPool(broker, { database }, broker.logger);
    broker.createService({ name: nodeID, actions: { work: () => 'done' } });
    await broker.start();
    await completeJoin(broker);
    return broker;
  }

  test('leave the one outside that disagrees with more of them, which serves and makes no call until they are gone', async () => {
    const foreign = await start('foreign', 'b');
    expect(await foreign.call('foreign.work')).toBe('done');
    const one = await start('one', 'a');
    await until(() => isOutsidePool(one));
    const other = await start('other', 'a');
    await until(() => isOutsidePool(foreign) && !isOutsidePool(one) && !isOutsidePool(other));
    await expect(foreign.call('foreign.work')).rejects.toMatchObject({ type: 'SERVICE_NOT_AVAILABLE' });
    await expect(foreign.call('one.work')).rejects.toMatchObject({ type: 'UNAVAILABLE' });
    await expect(one.call('foreign.work')).rejects.toMatchObject({ type: 'SERVICE_NOT_AVAILABLE' });
    expect(await one.call('other.work')).toBe('done');
    await Promise.all([one.stop(), other.stop()]);
    await until(() => !isOutsidePool(foreign));
    expect(await foreign.call('foreign.work')).toBe('done');
  });
});
