import type { Code } from '../../web/code.ts';
import { quoteForShell } from '../../web/code.ts';
import { highlight } from './highlight.ts';
import { withOwnAddresses } from './markdown.ts';
import type { Operation, Parameter } from './operations.ts';
import { texts } from './texts.ts';

type Headers = [name: string, value: string][];

/** A variable of the environment in a sample. */
type Variable = { variable: string };
type Request = {
  method: string;
  url: string;
  /** A credential or an id comes from a variable, which a header wraps in a text. */
  headers: { name: string; before: string; value: string | Variable }[];
  cookies: boolean;
  client: boolean;
  body: Operation['body'];
};

/** The request of an endpoint in curl, JavaScript and Python, with its example values. */
export function samplesOf(operation: Operation): readonly [Code, Code, Code] {
  const request = requestOf(operation);
  const code = (label: string, language: string, text: string): Code => ({
    label,
    text,
    shown: highlight(text, language),
  });
  return [
    code('curl', 'sh', curl(request)),
    code('JavaScript', 'js', javaScript(request)),
    code('Python', 'py', python(request)),
  ];
}

function requestOf({ method, path, server, parameters, body, credentials }: Operation): Request {
  const of = (place: Parameter['place']) => parameters.filter((one) => one.place === place);
  let filled = path;
  for (const { name, example } of of('path')) {
    if (example !== undefined) filled = filled.replace(`{${name}}`, encodePath(String(example)));
  }
  const query = new URLSearchParams(
    of('query').flatMap(({ name, example, isRequired }) =>
      example === undefined && !isRequired ? [] : [[name, String(example ?? '…')] as [string, string]],
    ),
  );
  const headers: Request['headers'] = [];
  const bearer = bearerOf(credentials);
  if (bearer !== null) headers.push({ name: 'Authorization', before: 'Bearer ', value: { variable: bearer } });
  for (const { name, isRequired, example } of of('header')) {
    if (name === 'x-tenant-id') headers.push({ name, before: '', value: { variable: 'ORG' } });
    else if (isRequired || example !== undefined) headers.push({ name, before: '', value: String(example ?? '…') });
  }
  if (body && body.mediaType !== 'multipart/form-data') {
    headers.push({ name: 'Content-Type', before: '', value: body.mediaType === '*/*' ? 'text/plain' : body.mediaType });
  }
  const url = `${server}${filled}${query.size > 0 ? `?${query}` : ''}`;
  const cookies = bearer === null && credentials.includes('session');
  return { method, url, headers, cookies, client: credentials.includes('client'), body };
}

/** Keys may have slashes. */
const encodePath = (text: string): string => text.split('/').map(encodeURIComponent).join('/');

function bearerOf(credentials: readonly string[]): string | null {
  if (credentials.includes('apiKey')) return 'KEY';
  if (credentials.includes('accessToken')) return 'ACCESS_TOKEN';
  return credentials.includes('visitor') ? 'VISITOR_TOKEN' : null;
}

function curl({ method, url, headers, cookies, client, body }: Request): string {
  const parts = [`curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`];
  if (client) parts.push('-u "$CLIENT_ID:$CLIENT_SECRET"');
  if (cookies) parts.push(`-b cookies.txt -H ${quoted(`Origin: ${new URL(url).origin}`)}`);
  for (const { name, before, value } of headers) {
    if (name === 'Content-Type' && body?.mediaType === 'application/x-www-form-urlencoded') continue;
    if (typeof value === 'string') parts.push(`-H ${quoted(`${name}: ${before}${value}`)}`);
    else parts.push(`-H "${name}: ${before}$${value.variable}"`);
  }
  parts.push(...curlBody(body));
  return parts.join(' \\\n  ');
}

function curlBody(body: Operation['body']): string[] {
  if (!body) return [];
  if (body.mediaType === 'multipart/form-data') return ['-F file=@photo.jpg'];
  if (body.mediaType === 'application/json') return [`-d ${quoted(pretty(body.example ?? {}))}`];
  if (body.mediaType === 'application/x-www-form-urlencoded') {
    return formFields(body).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`);
  }
  return [typeof body.example === 'string' ? `--data-binary ${quoted(body.example)}` : '--data-binary @photo.jpg'];
}

/** A word of a shell command, bare where it needs no quotes. */
const quoted = (text: string): string => (/^[\w:/.@=-]+$/.test(text) ? text : quoteForShell(text));

/** The fields of a form that a client must send, with what they may be. */
function formFields({ schema }: NonNullable<Operation['body']>): Headers {
  const properties = (schema.properties ?? {}) as Record<string, { enum?: string[]; example?: string }>;
  const required = new Set((schema.required ?? []) as string[]);
  return Object.entries(properties)
    .filter(([name, field]) => required.has(name) || field.example !== undefined)
    .map(([name, field]) => [name, field.example ?? field.enum?.at(-1) ?? '…']);
}

function javaScript({ method, url, headers, cookies, client, body }: Request): string {
  const listed = headers.map(({ name, before, value }) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`;
    if (typeof value === 'string') return `${key}: ${textIn(before + value)}`;
    const variable = `process.env.${value.variable}`;
    return `${key}: ${before === '' ? variable : `\`${before}\${${variable}}\``}`;
  });
  if (client) listed.push("Authorization: 'Basic ' + btoa(process.env.CLIENT_ID + ':' + process.env.CLIENT_SECRET)");
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(cookies ? ["credentials: 'include', // In a page of the platform."] : []),
    ...(listed.length === 0 ? [] : ['headers: {', ...listed.map((one) => `  ${one},`), '},']),
    ...javaScriptBody(body),
  ];
  const call = options.length === 0 ? `fetch(${textIn(url)})` : `fetch(${textIn(url)}, {\n${indent(options)}\n})`;
  return `const response = await ${call};\nconsole.log(response.status, await response.text());`;
}

function javaScriptBody(body: Operation['body']): string[] {
  if (!body) return [];
  if (body.mediaType === 'multipart/form-data') return ["body: formData, // With the file in the field 'file'."];
  if (body.mediaType === 'application/json') {
    const literal = pretty(body.example ?? {}).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:');
    return `body: JSON.stringify(${literal}),`.split('\n');
  }
  if (body.mediaType === 'application/x-www-form-urlencoded') {
    return `body: new URLSearchParams(${pretty(Object.fromEntries(formFields(body)))}),`.split('\n');
  }
  return [typeof body.example === 'string' ? `body: ${textIn(body.example)},` : 'body: bytes,'];
}

const indent = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n');
const textIn = (text: string): string =>
  text.includes("'") || text.includes('\n') ? JSON.stringify(text) : `'${text}'`;
const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

function python({ method, url, headers, cookies, client, body }: Request): string {
  const listed = headers
    .filter(({ name }) => name !== 'Content-Type' || !/json|form/.test(body?.mediaType ?? ''))
    .map(({ name, before, value }) => {
      if (typeof value === 'string') return `"${name}": ${JSON.stringify(before + value)}`;
      const variable = `os.environ["${value.variable}"]`;
      return `"${name}": ${before === '' ? variable : `"${before}" + ${variable}`}`;
    });
  const options = [
    JSON.stringify(url),
    ...(cookies ? ['cookies=session_cookies', `headers={"Origin": "${new URL(url).origin}"}`] : []),
    ...(client ? ['auth=(os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])'] : []),
    ...(listed.length === 0 ? [] : [`headers={${listed.join(', ')}}`]),
    ...pythonBody(body),
  ];
  const text = options.map((one) => `    ${one.replaceAll('\n', '\n    ')},`).join('\n');
  const imports = text.includes('os.environ') ? 'import os, requests' : 'import requests';
  return `${imports}\n\nresponse = requests.${method.toLowerCase()}(\n${text}\n)\nprint(response.status_code, response.text)`;
}

function pythonBody(body: Operation['body']): string[] {
  if (!body) return [];
  if (body.mediaType === 'multipart/form-data') return ['files={"file": open("photo.jpg", "rb")}'];
  if (body.mediaType === 'application/json') return [`json=${pythonLiteral(pretty(body.example ?? {}))}`];
  if (body.mediaType === 'application/x-www-form-urlencoded') {
    return [`data=${pretty(Object.fromEntries(formFields(body)))}`];
  }
  return [typeof body.example === 'string' ? `data=${JSON.stringify(body.example)}` : 'data=open("photo.jpg", "rb")'];
}

/** JSON as Python writes it: its three words differ. */
function pythonLiteral(json: string): string {
  const words: Record<string, string> = { true: 'True', false: 'False', null: 'None' };
  return json.replace(/"(?:\\.|[^"\\])*"|\b(?:true|false|null)\b/g, (part) => words[part] ?? part);
}

/** The example of an answer; null without one. */
export function answerSample({ status, content }: Operation['answers'][number]): Code | null {
  if (content?.example === undefined) return null;
  const text = withOwnAddresses(pretty(content.example));
  return { label: texts().api.answer(status), text, shown: highlight(text, 'json') };
}
