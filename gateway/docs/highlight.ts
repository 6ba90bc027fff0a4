import { type Content, html } from '../../web/html.ts';

/** The colours of code by their classes in style/detail.css: comment, string, keyword, and a number or a literal. */
type Kind = 'c' | 's' | 'k' | 'v';

const number = String.raw`\b\d[\d_.]*\b`;
const doubleQuoted = String.raw`"(?:\\.|[^"\\\n])*"`;
const singleQuoted = String.raw`'(?:\\.|[^'\\\n])*'`;
const words = (list: string): string => `\\b(?:${list.replaceAll(' ', '|')})\\b`;

/** One expression for each language. The name of the group that matched is the kind. */
const languages: Record<string, RegExp> = {
  sh: pattern({
    c: String.raw`(?<=^|\s)#.*$`,
    s: `${doubleQuoted}|'[^']*'`,
    v: String.raw`\$\{?\w+\}?|(?<=\s)--?[a-zA-Z][\w-]*`,
    k: String.raw`(?<=^|\$\(|[|&;]\s)(?:curl|npm|npx|node|python3?|pip|export|docker|grep|head|jq|cd|git)\b`,
  }),
  js: pattern({
    c: String.raw`\/\/.*$|\/\*[\s\S]*?\*\/`,
    s: `\`(?:\\\\.|[^\`\\\\])*\`|${doubleQuoted}|${singleQuoted}`,
    k: words(
      'as async await break case catch class const continue default delete else export extends false finally for from function if import in instanceof let new null of return switch this throw true try type typeof undefined void while yield',
    ),
    v: number,
  }),
  py: pattern({
    c: '#.*$',
    s: `f?(?:${doubleQuoted}|${singleQuoted})`,
    k: words(
      'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None not or pass raise return True try while with yield',
    ),
    v: number,
  }),
  json: pattern({ k: `${doubleQuoted}(?=\\s*:)`, s: doubleQuoted, v: `${words('true false null')}|-?${number}` }),
  html: pattern({
    c: String.raw`<!--[\s\S]*?-->`,
    s: doubleQuoted,
    k: String.raw`<\/?[a-zA-Z][\w-]*|\/?>`,
  }),
};
const aliases: Record<string, string> = {
  bash: 'sh',
  javascript: 'js',
  ts: 'js',
  typescript: 'js',
  tsx: 'js',
  python: 'py',
};

/** Renders code with classes for its parts. Code of an unknown language stays plain. */
export function highlight(text: string, language: string): Content {
  const expression = languages[aliases[language] ?? language];
  if (!expression) return text;
  const parts: Content[] = [];
  let end = 0;
  for (const match of text.matchAll(expression)) {
    const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0];
    parts.push(text.slice(end, match.index), html`<span class="${kind}">${match[0]}</span>`);
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}

function pattern(kinds: Partial<Record<Kind, string>>): RegExp {
  const groups = Object.entries(kinds).map(([kind, source]) => `(?<${kind}>${source})`);
  return new RegExp(groups.join('|'), 'gm');
}
