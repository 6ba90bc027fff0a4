import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type EventFields, readEvents } from '../../../web/client/event-stream.ts';

const text =
  'id: hnt_1\nevent: open\ndata: {}\n\n:\n\nid: hnt_2\nevent: message\ndata: {"text":"Grüße 🚲"}\n\nretry: 700\n\n';

async function readAll(chunks: Uint8Array[]): Promise<EventFields[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const events: EventFields[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

test('events are read alike, wherever the connection divides their bytes', async () => {
  const bytes = new TextEncoder().encode(text);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (places) => {
      const cuts = [0, ...places.sort((one, other) => one - other), bytes.length];
      const chunks = cuts.slice(1).map((end, index) => bytes.slice(cuts[index], end));
      expect(await readAll(chunks)).toEqual([
        { id: 'hnt_1', event: 'open', data: '{}' },
        {},
        { id: 'hnt_2', event: 'message', data: '{"text":"Grüße 🚲"}' },
        { retry: '700' },
      ]);
    }),
  );
});
