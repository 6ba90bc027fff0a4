import { quote } from './words.ts';

/** States keep some words in English, in which they were composed; here they become German where a story shows them. */

const channels = new Map([
  ['email', 'per E-Mail'],
  ['SMS', 'per SMS'],
  ['chat', 'per Chat'],
  ['phone', 'per Telefon'],
  ['the website', 'über die Website'],
  ['a chat app', 'über eine Chat-App'],
  ['a photo app', 'über eine Foto-App'],
  ['a social app', 'über ein soziales Netzwerk'],
]);

/** `per E-Mail`, `über WhatsApp`. */
export function viaChannel(channel: string): string {
  return channels.get(channel) ?? `über ${channel}`;
}

/** `Blue mug and 2 more` → `Blue mug und 2 weitere`. */
export function itemsOf(items: string): string {
  return items.replace(/ and (\d{1,3}(?:,\d{3})*) more$/, (_all, count: string) => {
    return ` und ${count.replaceAll(',', '.')} ${count === '1' ? 'weiterer Artikel' : 'weitere Artikel'}`;
  });
}

export function eventName(name: string): string {
  return name === 'unnamed event' ? 'unbenanntes Ereignis' : name;
}

const amount = /^-?([$¥]?)(\d[\d,]*(?:\.\d+)?)( (?:[A-Z]{3}|kr))?$/;
const labelled = /^([^:“”]+): (?:“(.*)”|(-?\d+(?:\.\d+)?))$/s;

/** `“Bulk export”`, `25.00 EUR`, `score: 4.5` and `status: “lost”`, with German quotes and numbers. */
export function detailOf(detail: string): string {
  const text = /^“(.*)”$/s.exec(detail);
  if (text) return quote(text[1] ?? '');
  const [whole, sign, digits = '', code] = amount.exec(detail) ?? [];
  if (whole !== undefined) {
    return `${whole.startsWith('-') ? '-' : ''}${digits.replace(/[.,]/g, swapped)}${code ?? (sign && ` ${sign}`)}`;
  }
  const [, name, words, number] = labelled.exec(detail) ?? [];
  if (name === undefined) return detail;
  return `${name}: ${words === undefined ? (number ?? '').replace('.', ',') : quote(words)}`;
}

function swapped(mark: string): string {
  return mark === '.' ? ',' : '.';
}
