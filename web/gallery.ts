import * as confirm from './confirm.ts';
import * as copy from './copy.ts';
import * as fields from './fields.ts';
import { type Html, html } from './html.ts';
import * as meter from './meter.ts';
import * as switcher from './switcher.ts';
import * as table from './table.ts';

/** All components of pages, each with what it looks like. */
export function renderGallery(): Html {
  const examples = [fields, table, meter, switcher, confirm, copy].flatMap((component) =>
    Object.entries<() => Html | null>(component.examples),
  );
  return html`${examples.map(
    ([name, show]) => html`<section><h2>${name}</h2>
${show()}</section>
`,
  )}`;
}
