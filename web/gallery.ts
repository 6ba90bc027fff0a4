import * as bulk from './bulk.ts';
import * as checkGroups from './check-groups.ts';
import * as code from './code.ts';
import * as confirm from './confirm.ts';
import * as copy from './copy.ts';
import * as download from './download.ts';
import * as facts from './facts.ts';
import * as fields from './fields.ts';
import * as filters from './filters.ts';
import { type Html, html } from './html.ts';
import * as icons from './icons.ts';
import * as meter from './meter.ts';
import * as sections from './sections.ts';
import * as states from './states.ts';
import * as table from './table.ts';
import * as upload from './upload.ts';
import * as zone from './zone.ts';

/** All components of pages, each with what it looks like. */
export function renderGallery(): Html {
  const examples = [
    states,
    facts,
    fields,
    checkGroups,
    filters,
    table,
    download,
    bulk,
    code,
    meter,
    confirm,
    zone,
    sections,
    copy,
    upload,
    icons,
  ].flatMap((component) => Object.entries<() => Html | null>(component.examples));
  return html`${examples.map(
    ([name, show]) => html`<section class="sec"><h2>${name}</h2>
${show()}</section>
`,
  )}`;
}
