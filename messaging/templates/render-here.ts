import type { Template } from 'liquidjs';
import type { CompiledContent, Json, RenderedContent, Values } from './content.ts';
import { parseTemplate, renderParsed, type Syntax } from './liquid.ts';

/** An LRU cache of parsed templates by source and syntax, bounded in size. */
const parsed = new Map<string, Template[]>();
const maxParsedLength = 4_000_000;
let parsedLength = 0;

/** Renders a content on the current thread. Throws a TemplateError. */
export function renderOnThread(content: CompiledContent, variables: Values): RenderedContent {
  const { subject, html, text, options } = content;
  return {
    ...(subject !== undefined && { subject: renderText(subject, 'line', variables) }),
    ...(html !== undefined && { html: renderText(html, 'html', variables) }),
    ...(text !== undefined && { text: renderText(text, 'text', variables) }),
    ...(options !== undefined && { options: renderOptions(options, variables) }),
  };
}

function renderOptions(options: Json, variables: Values): Json {
  if (typeof options === 'string') return renderText(options, 'line', variables);
  if (Array.isArray(options)) return options.map((one) => renderOptions(one, variables));
  if (typeof options !== 'object' || options === null) return options;
  return Object.fromEntries(Object.entries(options).map(([name, one]) => [name, renderOptions(one, variables)]));
}

function renderText(source: string, syntax: Syntax, variables: Values): string {
  return renderParsed(parsedOf(source, syntax), syntax, variables);
}

function parsedOf(source: string, syntax: Syntax): Template[] {
  const key = `${syntax} ${source}`;
  const found = parsed.get(key);
  const templates = found ?? parseTemplate(source, syntax);
  // Reinserting makes it the newest; the oldest are evicted first.
  if (found) parsed.delete(key);
  else parsedLength += key.length;
  parsed.set(key, templates);
  for (const oldest of parsed.keys()) {
    if (parsedLength <= maxParsedLength) break;
    parsed.delete(oldest);
    parsedLength -= oldest.length;
  }
  return templates;
}
