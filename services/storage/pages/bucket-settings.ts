import { call } from '../../../lib/contract/context.ts';
import { type Refusal, refusalOf, refuse } from '../../../web/attempt.ts';
import { renderCopyable } from '../../../web/copy.ts';
import { renderFacts } from '../../../web/facts.ts';
import { renderForm } from '../../../web/form-page.ts';
import { type Html, html } from '../../../web/html.ts';
import { formatSize } from '../../../web/numbers.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  rejectChange,
  renderOrganizationPage,
  renderReadOnly,
} from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { renderDay } from '../../../web/time.ts';
import { flashMessage, openUserFlow } from '../../../web/user-page.ts';
import { renderTypedForm, renderZoneSection } from '../../../web/zone.ts';
import { type BucketForm, choiceNames, formOf, pickChoices, readChoices, renderChoices } from './bucket-form.ts';
import { renderAccess } from './buckets.ts';
import { type Bucket, bucketPath, crumbsTo, readBucket } from './files-page.ts';
import { texts } from './texts.ts';

const formKind = 'bucket settings';

/** The settings of one bucket. */
export const bucketSettingsPages = {
  'pages.files.settings.show': organizationPage('files', {
    rest: 'GET /buckets/:bucket/settings',
    summary: 'Show the settings of a bucket',
    handler: async (visit) => renderSettings(visit, await readBucket(visit)),
  }),
  'pages.files.settings.save': organizationPage('files', {
    rest: 'POST /buckets/:bucket/settings',
    summary: 'Change the settings of a bucket',
    handler: save,
  }),
  'pages.files.settings.delete': organizationPage('files', {
    rest: 'POST /buckets/:bucket/settings/delete',
    summary: 'Delete a bucket with its objects, after its name was typed',
    handler: remove,
  }),
};

async function save(visit: OrganizationVisit): Promise<PageAnswer> {
  const typed = pickChoices(visit.form);
  const bucket = await readBucket(visit);
  const { values: body, errors } = readChoices(typed);
  const input = { path: { bucketName: bucket.name }, body };
  const refusal =
    rejectChange(visit, formKind, texts().buckets.form.lacks) ??
    (Object.keys(errors).length > 0 ? refuse(errors) : null) ??
    (await refusalOf(choiceNames, () => call(visit.ctx, 'storage.buckets.update', input)));
  if (refusal) return renderSettings(visit, bucket, { typed, refusal });
  return redirectTo(bucketPath(visit, bucket.name, ['settings'], { done: 'saved' }));
}

async function remove(visit: OrganizationVisit): Promise<PageAnswer> {
  const { confirm } = pickFields(visit.form, 'confirm');
  const bucket = await readBucket(visit);
  const { name } = bucket;
  const t = texts().settings;
  const refusal =
    rejectChange(visit, formKind, texts().buckets.form.lacks) ??
    (confirm.trim() === name ? null : refuse({ confirm: t.confirmWrong(name) })) ??
    (await refusalOf([], () => call(visit.ctx, 'storage.buckets.delete', { path: { bucketName: name } })));
  if (refusal) return renderSettings(visit, bucket, { refusal });
  return redirectTo(pathOf(visit, 'files', [], { done: 'deleted' }));
}

type Refused = { typed?: BucketForm; refusal?: Refusal };

function renderSettings(
  visit: OrganizationVisit,
  bucket: Bucket,
  { typed = formOf(bucket), refusal }: Refused = {},
): PageAnswer {
  const t = texts().settings;
  const { id, name, objectCount, usedBytes, createdAt } = bucket;
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.lead(name),
    parents: crumbsTo(visit, name),
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`<section>${renderFacts([
      [t.facts.id, renderCopyable('bucket-id', id, t.idName)],
      [t.facts.access, renderAccess(bucket)],
      [t.facts.objects, texts().buckets.summary(objectCount, formatSize(usedBytes))],
      [t.facts.created, renderDay(createdAt)],
    ])}</section>
${
  renderReadOnly(visit) ??
  html`<section class="sec">${renderForm({
    action: bucketPath(visit, name, ['settings']),
    flow: openUserFlow(visit, formKind),
    fields: renderChoices(typed, refusal?.errors),
    submit: t.submit,
  })}</section>
${renderDanger(visit, bucket, refusal)}`
}`,
  });
}

function renderDanger(visit: OrganizationVisit, { name, objectCount }: Bucket, refusal?: Refusal): Html {
  const t = texts().settings;
  const below = renderTypedForm({
    action: bucketPath(visit, name, ['settings', 'delete']),
    flow: openUserFlow(visit, formKind),
    label: t.confirm(name),
    submit: t.remove,
    errors: refusal?.errors,
  });
  const act = { title: t.remove, words: t.removeWords(objectCount), below };
  return renderZoneSection({ id: 'h-danger', title: t.danger }, [act]);
}
