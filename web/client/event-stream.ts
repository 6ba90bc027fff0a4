/** The fields of an event; a comment has none. */
export type EventFields = { id?: string; event?: string; data?: string; retry?: string };

/** Reads server-sent events as they arrive (HTML, section 9.2), of which each field is one line. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<EventFields> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const blocks = (rest + decoder.decode(part.value, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield fieldsOf(block);
  }
}

function fieldsOf(block: string): EventFields {
  const pairs = block.split('\n').map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
  });
  return Object.fromEntries(pairs.filter(([name]) => name !== ''));
}
