import { call } from '../../../lib/contract/context.ts';
import { type Refusal, refuse, submitForm } from '../../../web/attempt.ts';
import { pickChosen, renderChosen } from '../../../web/bulk.ts';
import { flowField } from '../../../web/flow.ts';
import { html } from '../../../web/html.ts';
import { renderIcon } from '../../../web/icons.ts';
import { type OrganizationVisit, organizationPage, renderOrganizationPage } from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { openUserFlow, rejectStaleForm } from '../../../web/user-page.ts';
import { bucketPath, crumbsTo, folderPath, may, readBucket } from './files-page.ts';
import { texts } from './texts.ts';

/** The kind of the tokens of the forms that delete chosen files. */
export const removalForm = 'chosen files';

/** The deletion of the chosen files of a folder: the list posts them, this page asks, and posts them with `confirm`. */
export const deleteFilesPages = {
  'pages.files.delete-many': organizationPage('files', {
    rest: 'POST /buckets/:bucket/delete',
    summary: 'Delete the chosen files of a folder, once that is confirmed',
    handler: removeChosen,
  }),
};

async function removeChosen(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ids: names, prefix, view, confirm } = pickChosen(visit.form, 'prefix', 'view', 'confirm');
  const { name: bucket } = await readBucket(visit);
  const t = texts().folder.remove;
  const stopped =
    rejectStaleForm(visit, removalForm) ??
    (may(visit, 'storage.delete') ? null : refuse({}, t.lacks, 403)) ??
    (names.length === 0 ? refuse({}, t.none) : null);
  const chosen = { bucket, prefix, view, names };
  if (stopped || confirm === '') return renderQuestion(visit, chosen, stopped);
  const keys = names.map((name) => prefix + name);
  const attempt = await submitForm([], () =>
    call(visit.ctx, 'storage.objects.delete-many', { body: { bucket, keys } }),
  );
  if (attempt.refusal) return renderQuestion(visit, chosen, attempt.refusal);
  // An object that is gone already is deleted.
  const failed = attempt.answer.data.filter(({ error }) => error !== undefined && error !== 'NOT_FOUND');
  if (failed.length === 0) return redirectTo(bucketPath(visit, bucket, [], { prefix, view, done: 'files-deleted' }));
  const kept = failed.map(({ key }) => key.slice(prefix.length));
  return renderQuestion(visit, { ...chosen, names: kept }, refuse({}, t.failed(kept.join(', ')), 409));
}

type Chosen = { bucket: string; prefix: string; view: string; names: readonly string[] };

function renderQuestion(
  visit: OrganizationVisit,
  { bucket, prefix, view, names }: Chosen,
  refusal: Refusal | null,
): PageAnswer {
  const t = texts().folder.remove;
  const back = folderPath(visit, bucket, prefix, { view });
  const canDelete = names.length > 0 && may(visit, 'storage.delete');
  return renderOrganizationPage(visit, {
    title: t.title(names.length),
    lead: t.lead,
    parents: crumbsTo(visit, bucket),
    refusal,
    body: html`<ul class="plain-list" aria-label="${t.list}">${names.map(
      (
        name,
      ) => html`<li class="row">${renderIcon('file', 'sm')}<span class="clip"><bdi>${prefix}${name}</bdi></span></li>
`,
    )}</ul>
<form method="post" action="${bucketPath(visit, bucket, ['delete'])}" class="form">${flowField(openUserFlow(visit, removalForm))}
<input type="hidden" name="prefix" value="${prefix}"><input type="hidden" name="view" value="${view}"><input type="hidden" name="confirm" value="on">
${renderChosen(names, 'delete')}
<div class="acts">${canDelete && html`<button class="btn danger solid">${t.confirm(names.length)}</button>`}<a class="btn" href="${back}">${t.cancel}</a></div></form>`,
  });
}
