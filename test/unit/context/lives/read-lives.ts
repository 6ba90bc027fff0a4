import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '../../../../lib/format/language.ts';
import type { StoredEvent } from '../../../../services/context/story/event.ts';

/** The title and the sentences of a story. */
type Text = { title: string; summary: string };

/** An invented customer's events in the order of arrival, and the story a reader found right, in each language. */
export type Life = { file: string; name: string; arrivals: StoredEvent[]; texts: Record<Language, Text> };

const actors: Record<string, StoredEvent['actor']> = {
  customer: { type: 'customer', id: 'customer-1' },
  visitor: { type: 'visitor', id: 'visitor-1' },
  agent: { type: 'agent', id: 'agent-7' },
  system: { type: 'system', id: 'backend' },
};

/**
 * The lives of the documents beside this file. A section each: its events in a block, then its story as a quote, and in
 * German as a quote in a quote.
 */
export function readLives(): Life[] {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.md'));
  return files.sort().flatMap((file) => readFile(file));
}

function readFile(file: string): Life[] {
  const [, ...sections] = readFileSync(join(import.meta.dirname, file), 'utf8').split(/^## /m);
  return sections.map((section) => {
    const [name = '', ...lines] = section.split('\n');
    const events = lines.filter((line) => /^\d{4}-\d\d-\d\d /.test(line));
    return {
      file,
      name,
      arrivals: events.map(readEvent),
      texts: { en: readQuote(lines, /^> (?!>)(.+)/), de: readQuote(lines, /^> > (.+)/) },
    };
  });
}

function readQuote(lines: string[], quoted: RegExp): Text {
  const [title = '', ...summary] = lines.flatMap((line) => quoted.exec(line)?.[1] ?? []);
  return { title: title.replaceAll('**', ''), summary: summary.join(' ') };
}

/** `2026-03-01 09:00 customer order.created id=a {"orderId": "A-1"}`, in UTC; without an id it is the line's number. */
function readEvent(line: string, index: number): StoredEvent {
  const parts = /^(\S+) (\S+) (\w+) (\S+) (?:id=(\w+) )?(\{.*\})$/.exec(line);
  if (!parts) throw new Error(`${line} is no event.`);
  const [, day, time, actor = '', eventName = '', id, payload = ''] = parts;
  return {
    eventId: id ?? `line-${String(index).padStart(3, '0')}`,
    eventName,
    occurredAt: `${day}T${time}:00Z`,
    actor: actors[actor] ?? { type: actor, id: actor },
    source: { system: 'backend', channel: 'web' },
    payload: JSON.parse(payload),
  };
}
