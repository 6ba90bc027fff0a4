import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { coalesceNatsWrites } from '../../../mixins/nats.ts';

type Send = (topic: string, data: Buffer, meta: object) => Promise<void>;

const next = jest.fn<Send>();
const transporter = { client: { info: { max_payload: 10 } } };
const send = (coalesceNatsWrites().transporterSend as unknown as (next: Send) => Send).call(transporter, next);
const topics = () => next.mock.calls.map(([topic]) => topic);

beforeEach(() => {
  next.mockReset().mockResolvedValue();
});

describe('what is sent within one turn', () => {
  test('leaves at its end, in its order', async () => {
    const sent = [send('a', Buffer.alloc(1), {}), Promise.resolve().then(() => send('b', Buffer.alloc(1), {}))];
    await Promise.resolve();
    expect(topics()).toEqual([]);
    await Promise.all(sent);
    expect(topics()).toEqual(['a', 'b']);
  });

  test('does not stop others when it fails', async () => {
    next.mockImplementation((topic) => {
      if (topic === 'a') throw new Error('closed');
      return topic === 'b' ? Promise.reject(new Error('lost')) : Promise.resolve();
    });
    const sent = ['a', 'b', 'c'].map((topic) => send(topic, Buffer.alloc(1), {}));
    const outcomes = await Promise.allSettled(sent);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });

  test('is refused at once when it is too large', () => {
    next.mockImplementation(() => {
      throw new Error('MAX_PAYLOAD_EXCEEDED');
    });
    expect(() => send('a', Buffer.alloc(11), {})).toThrow('MAX_PAYLOAD_EXCEEDED');
  });
});
