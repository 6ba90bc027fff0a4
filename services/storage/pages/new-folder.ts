import { type FieldErrors, renderFields } from '../../../web/fields.ts';
import { html } from '../../../web/html.ts';
import { type OrganizationVisit, organizationPage, renderOrganizationPage } from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { bucketPath, crumbsTo, folderPath, readBucket } from './files-page.ts';
import { texts } from './texts.ts';

/** The form that opens a folder without files. It changes nothing: a folder is the beginning of keys. */
export const newFolderPages = {
  'pages.files.new-folder': organizationPage('files', {
    rest: 'GET /buckets/:bucket/folder',
    summary: 'Show the form of a new folder, or open the one that it names',
    handler: renderNewFolder,
  }),
};

async function renderNewFolder(visit: OrganizationVisit): Promise<PageAnswer> {
  const { prefix: above, name } = visit.query;
  const view = visit.query.view === 'tiles' ? 'tiles' : '';
  const { name: bucket } = await readBucket(visit);
  const prefix = typeof above === 'string' ? above : '';
  const segments = typeof name === 'string' ? name.split('/').filter((segment) => segment.trim() !== '') : [];
  if (segments.length > 0) return redirectTo(folderPath(visit, bucket, `${prefix}${segments.join('/')}/`, { view }));
  const t = texts().folder.folderForm;
  const errors: FieldErrors = name === undefined ? {} : { name: t.missing };
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.lead,
    parents: crumbsTo(visit, bucket),
    body: html`<form method="get" action="${bucketPath(visit, bucket, ['folder'])}" class="form" novalidate>
<input type="hidden" name="prefix" value="${prefix}"><input type="hidden" name="view" value="${view}">
${renderFields([{ name: 'name', label: t.name, autocomplete: 'off', isRequired: true, maxLength: 200, isFirst: true }], errors)}
<div class="acts"><button class="btn primary">${t.submit}</button></div></form>`,
  });
}
