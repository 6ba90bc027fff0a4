import { convert } from 'html-to-text';
import { type CompiledContent, type Content, type Json, samplesOf, type Values, type Variable } from './content.ts';
import { readContexts } from './html-contexts.ts';
import { parseTemplate, type Syntax, TemplateError, usedVariables } from './liquid.ts';
import { compileMjml } from './mjml.ts';
import { hasUnsafeAddress } from './safe-addresses.ts';
import { renderOnThread } from './thread.ts';

/** An error for the author to fix; `path` is within the content. */
export type Problem = { path: string; message: string };

export type Compilation = { compiled: CompiledContent } | { problems: Problem[] };

/**
 * Compiles a content: MJML to HTML, checks the HTML, derives a missing text, and renders everything twice: with all
 * samples and without the optional ones. It may take a second, so it runs in a worker thread.
 */
export async function compileContent(content: Content, variables: Variable[], builtIn: string[]): Promise<Compilation> {
  const problems: Problem[] = [];
  const declaredNames = new Set([...variables.map(({ name }) => name), ...builtIn]);
  const check = (path: string, source: string, syntax: Syntax): void => {
    problems.push(...problemsOf(source, syntax, declaredNames).map((message) => ({ path, message })));
  };
  const htmlPath = content.mjml === undefined ? 'html' : 'mjml';
  let source = content.html;
  if (content.mjml !== undefined) {
    const mjml = await compileMjml(content.mjml);
    if ('problems' in mjml) return { problems: mjml.problems.map((message) => ({ path: 'mjml', message })) };
    source = mjml.html;
  }
  if (source !== undefined) check(htmlPath, source, 'html');
  if (content.subject !== undefined) check('subject', content.subject, 'line');
  if (content.text !== undefined) check('text', content.text, 'text');
  for (const [path, text] of textsOf(content.options, 'options')) check(path, text, 'line');
  if (problems.length > 0) return { problems };
  return finish(content, { source, htmlPath, variables, builtIn });
}

type Checked = { source: string | undefined; htmlPath: string; variables: Variable[]; builtIn: string[] };

function finish(content: Content, { source, htmlPath, variables, builtIn }: Checked): Compilation {
  const contexts = source === undefined ? null : readContexts(source);
  if (contexts && contexts.problems.length > 0) {
    return { problems: contexts.problems.map((message) => ({ path: htmlPath, message })) };
  }
  const text = content.text ?? (contexts ? textFromHtml(contexts.source) : undefined);
  const parts = {
    ...(content.subject !== undefined && { subject: content.subject }),
    ...(contexts && { html: contexts.source }),
    ...(text !== undefined && { text }),
    ...(content.options !== undefined && { options: content.options }),
  };
  const compiled: CompiledContent = {
    ...parts,
    addressVariables: (contexts?.addressVariables ?? []).filter((name) => variables.some((one) => one.name === name)),
  };
  const builtInSamples: Values = Object.fromEntries(builtIn.map((name) => [name, `https://example.com/${name}`]));
  const problem =
    problemOfAddresses(compiled) ??
    problemOfValues(compiled, { ...builtInSamples, ...samplesOf(variables) }) ??
    problemOfValues(compiled, { ...builtInSamples, ...samplesOf(variables, true) }, 'Without the optional variables: ');
  return problem === null ? { compiled } : { problems: [{ path: htmlPath, message: problem }] };
}

function problemOfAddresses({ html }: CompiledContent): string | null {
  if (html === undefined || !hasUnsafeAddress(withoutValues(html))) return null;
  return 'A link or image address must be http, https, mailto, tel or sms.';
}

function problemOfValues(compiled: CompiledContent, values: Values, beginning = ''): string | null {
  try {
    renderOnThread(compiled, values);
    return null;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return `${beginning}${error.message}`;
  }
}

/** The HTML with a placeholder for each value, so that only the author's own addresses are checked. */
const withoutValues = (html: string): string => html.replace(/\{\{.*?\}\}|\{%.*?%\}/gs, '');

function problemsOf(source: string, syntax: Syntax, known: Set<string>): string[] {
  try {
    const unknown = usedVariables(parseTemplate(source, syntax), syntax).filter((name) => !known.has(name));
    return unknown.map((name) => `The variable ${name} is used but not declared.`);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return [error.message];
  }
}

/** The strings within options, each with its path. */
export function textsOf(options: Json | undefined, path: string): [path: string, text: string][] {
  if (typeof options === 'string') return [[path, options]];
  if (typeof options !== 'object' || options === null) return [];
  return Object.entries(options).flatMap(([name, value]) => textsOf(value, `${path}.${name}`));
}

const placeholder = /\uE000(\d+)\uE001/g;

/** Converts an HTML template to a text template; its Liquid tags are excluded from the conversion. */
function textFromHtml(html: string): string {
  const segments: string[] = [];
  const marked = html.replace(/[\uE000\uE001]/g, '').replace(/\{\{.*?\}\}|\{%.*?%\}/gs, (segment) => {
    segments.push(segment.replaceAll(' | css_value', ''));
    return `\uE000${segments.length - 1}\uE001`;
  });
  const text = convert(marked, {
    wordwrap: false,
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
      { selector: 'img', format: 'skip' },
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: 'td', format: 'inlineSurround', options: { suffix: ' ' } },
      { selector: '*[style*="display:none"]', format: 'skip' },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
  return text
    .replace(placeholder, (_all, place: string) => segments[Number(place)] ?? '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
