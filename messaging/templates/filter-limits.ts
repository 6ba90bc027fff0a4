import type { Liquid } from 'liquidjs';

/** The maximum of characters that one filter reads or writes. */
const maxFilterLength = 100_000;
/** The maximum of items in an array. */
const maxItems = 20_000;
const maxFormatLength = 200;

type Filter = (this: unknown, value: unknown, ...parameters: unknown[]) => unknown;

/**
 * Bounds the input and output of every filter of an engine. If the output can be much longer than the input, its length
 * is computed before the filter runs. `refuse` throws the error for the template's author.
 */
export function limitFilters(engine: Liquid, refuse: (message: string) => never): void {
  for (const [name, filter] of Object.entries(engine.filters)) {
    const handler = (typeof filter === 'function' ? filter : filter?.handler) as Filter | undefined;
    if (!handler) continue;
    const limited: Filter = function (value, ...parameters) {
      const input = lengthOf(value) + parameters.reduce<number>((sum, one) => sum + lengthOf(one), 0);
      if (input > maxFilterLength || expectedLength(name, value, parameters) > maxFilterLength) refuse(tooLong(name));
      if (name === 'date' && !isPlainFormat(parameters[0]))
        refuse('The format of the filter date is too long or pads a field too wide.');
      const written = handler.call(this, value, ...parameters);
      if (lengthOf(written) > maxFilterLength) refuse(tooLong(name));
      return written;
    };
    const isRaw = typeof filter !== 'function' && filter?.raw === true;
    engine.registerFilter(name, isRaw ? { raw: true, handler: limited } : limited);
  }
}

const tooLong = (name: string): string =>
  `The filter ${name} reads or writes more than ${maxFilterLength} characters or ${maxItems} items.`;

/** The length of a text, or the total length of the texts in an array; infinite for an array with too many items. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (!Array.isArray(value)) return 0;
  if (value.length > maxItems) return Number.POSITIVE_INFINITY;
  return value.reduce<number>((sum, item) => sum + 1 + lengthOf(item), 0);
}

/** The output length of a filter that writes a text for each position of its input; 0 for other filters. */
function expectedLength(name: string, value: unknown, [first, second]: unknown[]): number {
  const [text, searched] = [value, first].map((one) => String(one ?? '')) as [string, string];
  if (name === 'replace') {
    const places = searched === '' ? text.length + 1 : text.split(searched).length - 1;
    return text.length + places * lengthOf(second);
  }
  if (name === 'join' && Array.isArray(value)) return lengthOf(value) + value.length * lengthOf(first);
  if (name === 'split' && searched === '') return text.length > maxItems ? Infinity : 0;
  return 0;
}

/** Whether a date format is short and pads no field to three digits or more. */
function isPlainFormat(format: unknown): boolean {
  return (
    format === undefined || (String(format).length <= maxFormatLength && !/%[^a-zA-Z%]*\d{3}/.test(String(format)))
  );
}
