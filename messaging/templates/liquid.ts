import { createRequire } from 'node:module';
import type { Liquid, Template } from 'liquidjs';
import { second } from '../../lib/data/clock.ts';
import { cutText } from '../../lib/format/graphemes.ts';
import type { Values } from './content.ts';
import { decimalFilters } from './decimal.ts';
import { limitFilters } from './filter-limits.ts';
import { withSafeAddresses } from './safe-addresses.ts';

/** The maximum length of the source and of the rendered text of a part, in characters. */
export const maxRenderedLength = 400_000;
const memoryLimit = 2_000_000;
/** Wall-clock time, far above what a template needs, so that rendering does not fail on a busy machine. */
const renderLimit = 2 * second;

/** Tags for files and for unescaped output are removed. */
const removedTags = ['raw', 'include', 'render', 'layout', 'block'];

const keptFilters = new Set([
  ...Object.keys(decimalFilters),
  ...['append', 'capitalize', 'downcase', 'lstrip', 'prepend', 'remove', 'remove_first', 'replace', 'replace_first'],
  ...['rstrip', 'slice', 'split', 'strip', 'strip_newlines', 'truncate', 'truncatewords', 'upcase', 'url_encode'],
  ...['date', 'default', 'first', 'join', 'last', 'reverse', 'size', 'sort', 'uniq', 'compact', 'concat'],
]);

/** How values are written: escaped for HTML, verbatim, or on a single line. */
export type Syntax = 'html' | 'text' | 'line';

/** A parse or render error; the message is for the template's author. */
export class TemplateError extends Error {
  override name = 'TemplateError';
}

let engines: Record<Syntax, Liquid> | undefined;

/** Loads Liquid on first use, because it takes 7 MB. */
function loadEngines(): Record<Syntax, Liquid> {
  const { Liquid } = createRequire(import.meta.url)('liquidjs') as typeof import('liquidjs');
  return {
    html: createEngine(Liquid, escapeHtml, escapeHtml),
    text: createEngine(Liquid, withoutControls, (text) => text),
    line: createEngine(
      Liquid,
      (text) => withoutControls(text).replace(/\s+/g, ' '),
      (text) => text,
    ),
  };
}

function engineOf(syntax: Syntax): Liquid {
  engines ??= loadEngines();
  return engines[syntax];
}

function createEngine(
  Engine: typeof Liquid,
  write: (text: string) => string,
  escapeText: (text: string) => string,
): Liquid {
  const engine = new Engine({
    strictVariables: true,
    strictFilters: true,
    lenientIf: true,
    ownPropertyOnly: true,
    outputEscape: (value: unknown) => spend(write(textOf(value))),
    parseLimit: maxRenderedLength,
    renderLimit,
    memoryLimit,
    timezoneOffset: 0,
    locale: 'en',
    // An empty map of templates, so that no file is read.
    templates: {},
  });
  for (const tag of removedTags) delete engine.tags[tag];
  for (const [name, filter] of Object.entries(decimalFilters)) engine.registerFilter(name, filter);
  for (const filter of Object.keys(engine.filters)) if (!keptFilters.has(filter)) engine.unregisterFilter(filter);
  const isHtml = escapeText === escapeHtml;
  // Values are escaped on output; these filters must not escape twice.
  engine.registerFilter('escape', { raw: true, handler: (value) => spend(escapeText(textOf(value))) });
  engine.registerFilter('newline_to_br', {
    raw: true,
    handler: (value) => spend(isHtml ? escapeText(textOf(value)).replace(/\r?\n/g, '<br>\n') : textOf(value)),
  });
  engine.registerFilter('truncate', truncate);
  engine.registerFilter('css_value', { raw: true, handler: (value) => spend(cssValue(textOf(value))) });
  limitFilters(engine, (message) => {
    throw new TemplateError(message);
  });
  return engine;
}

/** Liquid's `truncate`: `maxLength` includes the ellipsis; cuts at grapheme boundaries. */
function truncate(value: unknown, maxLength: unknown = 50, ellipsis: unknown = '...'): string {
  const [text, end] = [textOf(value), textOf(ellipsis)];
  const codePoints = [...text];
  if (codePoints.length <= Number(maxLength)) return text;
  const kept = codePoints.slice(0, Math.max(0, Number(maxLength) - [...end].length));
  return cutText(text, kept.join('').length) + end;
}

let charactersLeft = 0;

/** Counts the characters of a rendering, so that many long values end it early. */
function spend(text: string): string {
  charactersLeft -= text.length;
  if (charactersLeft < 0) throw new TemplateError(`Output exceeds ${maxRenderedLength} characters.`);
  return text;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.map(textOf).join('') : String(value);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return withoutControls(text).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, ' ');
}

/** Sanitizes a value within a `style` attribute: keeps only colours, lengths and font names. */
function cssValue(text: string): string {
  return /^[\w\s#.,%()+-]*$/.test(text) && !/url|expression|import/i.test(text) ? text : '';
}

/** Parses a template; throws a {@link TemplateError} with the position of the error. */
export function parseTemplate(source: string, syntax: Syntax): Template[] {
  try {
    return engineOf(syntax).parse(source);
  } catch (error) {
    throw new TemplateError(messageOf(error));
  }
}

/** The variables that a template reads but does not assign. */
export function usedVariables(parsed: Template[], syntax: Syntax): string[] {
  return engineOf(syntax).globalVariablesSync(parsed, { partials: false });
}

/** Renders a parsed template; throws a {@link TemplateError}. */
export function renderParsed(parsed: Template[], syntax: Syntax, variables: Values): string {
  charactersLeft = maxRenderedLength;
  try {
    const text: unknown = engineOf(syntax).renderSync(parsed, variables);
    if (typeof text !== 'string' || text.length > maxRenderedLength) spend(' '.repeat(maxRenderedLength + 1));
    return syntax === 'html' ? withSafeAddresses(String(text)) : tidy(String(text), syntax);
  } catch (error) {
    throw new TemplateError(messageOf(error));
  }
}

function tidy(text: string, syntax: Syntax): string {
  if (syntax === 'line') return withoutControls(text).replace(/\s+/g, ' ').trim();
  // Tags produce empty lines.
  return text.replace(/\n(?:[ \t]*\n){2,}/g, '\n\n');
}

export const tooDeep = 'Nested too deeply.';

/** Whether nested input has overflowed the stack. The library wraps this error in some places. */
export function isTooDeep(error: unknown): boolean {
  return error instanceof Error && /^Maximum call stack size exceeded/.test(error.message);
}

/** The library's message without the source excerpt. */
function messageOf(error: unknown): string {
  if (isTooDeep(error)) return tooDeep;
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n')[0] ?? message).slice(0, 300);
}
