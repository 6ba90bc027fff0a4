import { afterEach, describe, expect, test } from '@jest/globals';

process.env.SECRET_KEY = 'the secret key of the tests of webhooks';

const { now, second, setClock } = await import('../../../lib/data/clock.ts');
const { isWebhookSigned, signWebhook } = await import('../../../services/billing/payment/sandbox.ts');

const body = '{"id":"evt_1","name":"ü"}';
let restore = (): void => undefined;
afterEach(() => restore());

describe('the signature of a webhook of the test provider', () => {
  test('is of its body, byte for byte', () => {
    const header = signWebhook(body);
    expect(header).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(isWebhookSigned(header, body)).toBe(true);
    for (const other of [`${body} `, body.replace('ü', 'u'), '']) expect(isWebhookSigned(header, other)).toBe(false);
  });

  test('is refused when any part of it is missing or wrong', () => {
    const header = signWebhook(body);
    const [time = '', signature = ''] = header.split(',');
    const wrong = [
      '',
      time,
      signature,
      `${time},v1=`,
      `${time},v1=${'0'.repeat(64)}`,
      `${time},v1=${signature.slice(3, -2)}`,
      `${time},v0=${signature.slice(3)}`,
      `t=${Number(time.slice(2)) + 1},${signature}`,
      `t=NaN,${signature}`,
      `t=-1,${signature}`,
      'nonsense',
    ];
    for (const one of wrong) expect(isWebhookSigned(one, body)).toBe(false);
  });

  test('counts when it is one of several, as while a key takes the place of another', () => {
    expect(isWebhookSigned(`${signWebhook(body)},v1=${'0'.repeat(64)}`, body)).toBe(true);
  });

  test.each([
    [-301, false],
    [-299, true],
    [299, true],
    [301, false],
  ])('made %i seconds from now is accepted: %s', (seconds, isAccepted) => {
    const at = now();
    restore = setClock(() => at);
    expect(isWebhookSigned(signWebhook(body, new Date(at.getTime() + seconds * second)), body)).toBe(isAccepted);
  });
});
