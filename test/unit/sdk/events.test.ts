import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readEvents } from '../../../sdk/src/events.ts';

const lines = ['id: hnt_1', 'event: open', 'data: {}', '', ':', '', 'id: hnt_2', 'data: one: Grüße 🚲', 'data:two', ''];
const more = ['retry: 700', 'unknown: x', 'retry: soon', '', 'event', 'data', '', 'data: incomplete'];

function streamOf(chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

test.each([['\n'], ['\r\n']])(
  'events are read alike, wherever the connection divides their bytes (%j)',
  async (end) => {
    const bytes = new TextEncoder().encode([...lines, ...more].join(end));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (places) => {
        const cuts = [0, ...places.sort((one, other) => one - other), bytes.length];
        const chunks = cuts.slice(1).map((to, index) => bytes.slice(cuts[index], to));
        const events = [];
        let heard = 0;
        for await (const event of readEvents(streamOf(chunks), () => (heard += 1))) events.push(event);
        expect(heard).toBe(chunks.length);
        expect(events).toEqual([
          { id: 'hnt_1', event: 'open', data: '{}' },
          {},
          { id: 'hnt_2', data: 'one: Grüße 🚲\ntwo' },
          { retry: 700 },
          { event: '', data: '' },
        ]);
      }),
    );
  },
);
