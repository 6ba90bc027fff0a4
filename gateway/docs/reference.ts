import { capitalize } from '../../lib/format/capitalize.ts';
import { renderCode } from '../../web/code.ts';
import { type Html, html } from '../../web/html.ts';
import { type Field, fieldsOf, parameterField, renderFields, type Schemas } from './fields.ts';
import type { Heading, Section } from './markdown.ts';
import type { Api, Operation, Parameter } from './operations.ts';
import { answerSample, samplesOf } from './samples.ts';
import { texts } from './texts.ts';

/** A page of the reference: the endpoints of a tag. */
export type ReferencePage = { title: string; body: Html; headings: Heading[] };

/** Renders words of the contract, which are Markdown. */
export type Words = (text: string) => Html;

const titles: Record<string, string> = { oauth: 'OAuth' };

/** The name of a tag on a page. */
export function titleOfTag(tag: string): string {
  return titles[tag] ?? capitalize(tag);
}

export function addressOfTag(tag: string): string {
  return `/docs/api/${encodeURIComponent(tag)}`;
}

export function addressOfOperation({ tag, id }: Operation): string {
  return `${addressOfTag(tag)}#${id}`;
}

/** Renders the endpoints of a tag: what each does and needs, its fields, a request in three languages, and its answer. */
export function renderReference({ operations, tags, schemas }: Api, tag: string, words: Words): ReferencePage {
  const own = operations.filter((operation) => operation.tag === tag);
  const title = titleOfTag(tag);
  const description = tags.find(({ name }) => name === tag)?.description ?? '';
  const body = html`<h1>${title}</h1>
${words(description)}
${own.some(isTryable) && renderKey()}
${own.map((operation) => renderOperation(operation, schemas, words))}`;
  return { title, body, headings: own.map(({ id, summary }) => ({ id, text: summary, depth: 2 })) };
}

/** The texts of the endpoints of a tag, for the search. */
export function referenceSections({ operations }: Api, tag: string): Section[] {
  return operations
    .filter((operation) => operation.tag === tag)
    .map(({ id, method, path, summary, description }) => ({
      id,
      heading: summary,
      text: `${method} ${path} ${description.replaceAll('`', '')}`,
    }));
}

/** The key for requests from the page. It stays in the page: a reload forgets it. */
function renderKey(): Html {
  const t = texts().api.key;
  return html`<x-api-key hidden><label for="api-key">${t.label}</label><input class="input" type="password" id="api-key" autocomplete="off" spellcheck="false" placeholder="svc_live_…" aria-describedby="api-key-hint"><p class="hint" id="api-key-hint">${t.hint}</p></x-api-key>`;
}

function renderOperation(operation: Operation, schemas: Schemas, words: Words): Html {
  const { id, method, path, summary, description, server, isHere, body } = operation;
  const t = texts();
  const bodyFields = body ? fieldsOf(body.schema, schemas) : [];
  return html`<section class="endpoint">
<h2 id="${id}">${summary}<a class="anchor" href="#${id}" aria-label="${t.linkTo(summary)}">#</a></h2>
<p class="route"><span class="verb ${method.toLowerCase()}">${method}</span> <code>${isHere ? '' : server}${path}</code></p>
${words(description)}
${renderParameters(operation, schemas, words)}
${renderFields(bodyFields, t.api.body, words)}
${renderCode(...samplesOf(operation))}
${operation.answers.map((answer) => renderAnswer(answer, id, schemas, words))}
${renderErrors(operation)}
${isTryable(operation) && renderTry(operation)}
</section>
`;
}

function renderParameters({ parameters }: Operation, schemas: Schemas, words: Words): (Html | null)[] {
  const t = texts().api;
  const places: readonly Parameter['place'][] = ['path', 'query', 'header'];
  return places.map((place) => {
    const fields = parameters.filter((one) => one.place === place).map((one) => parameterField(one, schemas));
    return renderFields(fields, t.places[place], words);
  });
}

function renderAnswer(answer: Operation['answers'][number], id: string, schemas: Schemas, words: Words): Html {
  const t = texts().api;
  const sample = answerSample(answer);
  const fields: Field[] = answer.content ? fieldsOf(answer.content.schema, schemas) : [];
  const label = t.answerFields(answer.status);
  return html`${sample ? renderCode(sample) : html`<p class="status"><b>${answer.status}</b> ${answer.content ? `${answer.description} ${answer.content.mediaType}` : t.empty(answer.description)}</p>`}
${fields.length > 0 && html`<details id="${id}.${answer.status}"><summary>${label}</summary>${renderFields(fields, label, words)}</details>`}`;
}

function renderErrors({ errors }: Operation): Html | null {
  if (errors.length === 0) return null;
  const t = texts().api;
  return html`<details><summary>${t.errors}</summary><ul class="errors">${errors.map(
    ({ status, description }) => html`<li><b>${status}</b> ${codesIn(description)}</li>
`,
  )}</ul><p><a href="/docs/errors">${t.allErrors}</a></p></details>`;
}

/** A description of an error is a list of codes, except in protocols that have their own. */
function codesIn(description: string): Html[] | string {
  const codes = description.split(', ');
  if (!codes.every((code) => /^[A-Z_]+$/.test(code))) return description;
  return codes.map((code, index) => html`${index > 0 && ', '}<code>${code}</code>`);
}

/** Whether the page can send it: to this origin, with a key or without a credential, and with text. */
export function isTryable({ isHere, credentials, body, answers }: Operation): boolean {
  const isOpen = credentials.length === 0 || credentials.includes('apiKey');
  const isJson = [body, ...answers.map(({ content }) => content)].every(
    (content) => content === null || content.mediaType === 'application/json',
  );
  return isHere && isOpen && isJson;
}

/** A form that a script shows and sends. Without it the samples suffice. */
function renderTry({ id, method, path, parameters, body, credentials }: Operation): Html {
  const t = texts().api.try;
  const fields = parameters.map(({ name, place, isRequired, example }) => {
    const field = `try-${id}-${place}-${name}`;
    return html`<div class="field"><label for="${field}">${name}${!isRequired && html` <span class="opt">${texts().api.optional}</span>`}</label><input class="input" id="${field}" name="${place}:${name}" value="${place === 'path' && example !== undefined && String(example)}" autocomplete="off" spellcheck="false"></div>
`;
  });
  return html`<x-try hidden data-method="${method}" data-path="${path}"${credentials.length > 0 && html` data-key`}><details><summary>${t.title}</summary>
<form>${fields}${body && html`<div class="field"><label for="try-${id}-body">${texts().api.body}</label><textarea class="input" id="try-${id}-body" name="body" rows="8" spellcheck="false">${JSON.stringify(body.example ?? {}, null, 2)}</textarea></div>`}
<button class="btn primary">${t.send}</button></form>
<div class="code" hidden><header><span role="status"></span></header><pre tabindex="0" aria-label="${t.answer}"></pre></div></details></x-try>`;
}
