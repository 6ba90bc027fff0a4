import { type FieldErrors, renderFieldError } from '../../../web/fields.ts';
import { type Content, type Html, html } from '../../../web/html.ts';
import { limits } from '../content.ts';
import type { Typed } from './editor-kind.ts';
import { nameField, requiredField, sampleField } from './form.ts';
import { texts } from './texts.ts';

/** Empty rows below the variables, for new ones. A script adds more. */
const emptyRows = 2;

/** Renders the variables with their samples. The fields are of the editor's form. */
export function renderVariables(values: Typed, isEditable: boolean, errors: FieldErrors = {}): Html {
  const t = texts().variables;
  const rows = rowsOf(values, isEditable);
  return html`<section aria-labelledby="h-variables">
<div class="sec-head"><h2 id="h-variables">${t.title}</h2><p>${t.hint}</p></div>
${renderFieldError('variables', errors.variables)}
${rows.length === 0 ? html`<p class="quiet">${t.none}</p>` : renderRows(rows, (row) => (isEditable ? editedRow(row, values, errors) : readRow(row, values)))}</section>`;
}

/** The rows with a value, and some empty ones to fill. */
function rowsOf(values: Typed, isEditable: boolean): number[] {
  const all = Array.from({ length: limits.variables }, (_, index) => index);
  const filled = all.filter((index) => [nameField(index), sampleField(index)].some((field) => values[field]));
  const end = (filled.at(-1) ?? -1) + 1 + emptyRows;
  return isEditable ? all.slice(0, end) : filled;
}

function renderRows(rows: readonly number[], cellsOf: (row: number) => Content): Html {
  const { caption, columns } = texts().variables;
  return html`<table class="table variables"><caption class="vh">${caption}</caption>
<thead><tr><th scope="col">${columns.name}</th><th scope="col">${columns.sample}</th><th scope="col" class="end">${columns.required}</th></tr></thead>
<tbody data-rows="${limits.variables}">${rows.map((row) => html`<tr>${cellsOf(row)}</tr>\n`)}</tbody></table>`;
}

function editedRow(row: number, values: Typed, errors: FieldErrors): Html {
  const t = texts().variables;
  const required = requiredField(row);
  return html`<td>${renderInput(nameField(row), t.named(row + 1), { values, errors, maxLength: 50 })}</td>
<td>${renderInput(sampleField(row), t.sample(row + 1), { values, errors, maxLength: limits.sample })}</td>
<td class="end"><input type="checkbox" id="${required}" name="${required}" form="editor" aria-label="${t.required(row + 1)}"${values[required] === 'on' && html` checked`}></td>`;
}

type Input = { values: Typed; errors: FieldErrors; maxLength: number };

function renderInput(name: string, label: string, { values, errors, maxLength }: Input): Html {
  const error = errors[name];
  return html`<div class="field">${renderFieldError(name, error)}<input class="input" id="${name}" name="${name}" form="editor" value="${values[name]}" aria-label="${label}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="${maxLength}"${error && html` aria-invalid="true" aria-describedby="${name}-error"`}></div>`;
}

function readRow(row: number, values: Typed): Html {
  const t = texts().variables;
  const sample = values[sampleField(row)];
  return html`<th scope="row"><code>${values[nameField(row)]}</code></th>
<td class="quiet">${sample || t.noSample}</td>
<td class="end quiet">${values[requiredField(row)] === 'on' ? t.yes : t.no}</td>`;
}
