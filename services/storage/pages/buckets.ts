import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { gigabyte } from '../../../lib/format/bytes.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type Refusal, refuse, rejectMissing, submitForm } from '../../../web/attempt.ts';
import type { Code } from '../../../web/code.ts';
import { renderForm } from '../../../web/form-page.ts';
import { type Html, html } from '../../../web/html.ts';
import { renderIcon } from '../../../web/icons.ts';
import { renderMeter } from '../../../web/meter.ts';
import { formatCount, formatSize } from '../../../web/numbers.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  rejectChange,
  renderOrganizationPage,
  renderReadOnly,
} from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { renderState } from '../../../web/states.ts';
import { renderEmpty, renderName, renderTable } from '../../../web/table.ts';
import { renderWhen } from '../../../web/time.ts';
import { callOnce, flashMessage, openUserFlow } from '../../../web/user-page.ts';
import { type BucketForm, choiceNames, emptyForm, pickChoices, readChoices, renderChoices } from './bucket-form.ts';
import { type Bucket, bucketPath, crumbsTo } from './files-page.ts';
import { texts } from './texts.ts';

const formKind = 'buckets';

/** The buckets of an organization, with what they use of the plan. */
export const bucketsPages = {
  'pages.files.list': organizationPage('files', {
    rest: 'GET',
    summary: 'Show the buckets of an organization and the storage that they use',
    handler: renderBuckets,
  }),
  'pages.files.new': organizationPage('files', {
    rest: 'GET /new',
    summary: 'Show the form of a new bucket',
    handler: async (visit) => renderNew(visit, { name: `${visit.organization.slug}-`, ...emptyForm }),
  }),
  'pages.files.create': organizationPage('files', {
    rest: 'POST /new',
    summary: 'Create a bucket on its page',
    handler: create,
  }),
};

const pageSize = '50';

async function renderBuckets(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, query, mayChange } = visit;
  const { cursor } = query;
  const t = texts().buckets;
  const [{ data, nextCursor }, usage] = await Promise.all([
    call(ctx, 'storage.buckets.list', {
      query: { limit: pageSize, ...(typeof cursor === 'string' && { cursor }) },
    }),
    call(ctx, 'storage.usage.read', { query: { limit: '1' } }),
  ]);
  const create =
    mayChange &&
    html`<a class="btn primary" href="${pathOf(visit, 'files', ['new'])}">${renderIcon('plus')}${t.create}</a>`;
  return renderOrganizationPage(visit, {
    title: texts().title,
    lead: t.lead,
    acts: data.length > 0 && create,
    notice: flashMessage(visit, t.notices),
    body: html`${renderUsage(usage)}
<div class="file-table">${renderTable<Bucket>({
      label: t.label,
      rows: data,
      empty: renderNone(visit, create),
      pager: {
        next: nextCursor && pathOf(visit, 'files', [], { cursor: nextCursor }),
        first: typeof cursor === 'string' ? pathOf(visit, 'files') : null,
      },
      columns: [
        {
          heading: t.columns.name,
          cell: (bucket) =>
            renderName({
              href: bucketPath(visit, bucket.name),
              name: bucket.name,
              summary: t.summary(bucket.objectCount, formatSize(bucket.usedBytes)),
              picture: html`<span class="quiet">${renderIcon('folder')}</span>`,
            }),
        },
        { heading: t.columns.access, cell: renderAccess, isState: true },
        { heading: t.columns.objects, cell: ({ objectCount }) => formatCount(objectCount), isNumber: true },
        { heading: t.columns.size, cell: ({ usedBytes }) => formatSize(usedBytes), isNumber: true },
        { heading: t.columns.created, cell: ({ createdAt }) => renderWhen(createdAt), isNumber: true, isMinor: true },
      ],
    })}</div>`,
  });
}

/** Renders whether a bucket, or a file, can be read without a credential. */
export function renderAccess({ public: isPublic }: { public: boolean }): Html {
  const t = texts().access;
  return isPublic ? renderState(t.public, 'good') : renderState(t.private, 'off');
}

function renderUsage({ storage, bandwidth }: CallOutput<'storage.usage.read'>): Html {
  const t = texts().buckets.meters;
  const meters = [
    [t.storage, storage],
    [t.traffic, bandwidth],
  ] as const;
  return html`<ul class="meters storage-use">${meters.map(([name, { usedGb, limitGb }]) => {
    const used = formatSize(usedGb * gigabyte);
    const words = limitGb === null ? t.notIncluded : t.of(used, formatSize(limitGb * gigabyte));
    const tag = limitGb !== null && usedGb >= limitGb ? t.usedUp : null;
    return renderMeter({ name, words, used: usedGb, limit: limitGb ?? 0, tag });
  })}</ul>`;
}

function renderNone(visit: OrganizationVisit, create: Html | false): Html {
  const t = texts().buckets.none;
  return renderEmpty({
    icon: 'folder',
    title: t.title,
    words: t.words,
    acts: html`${create}<a class="btn" href="/docs/files">${texts().guide}</a>`,
    code: [sampleBucket(visit)],
  });
}

/** A request that makes a bucket of the organization; the key is the reader's own, in `KEY` of their shell. */
function sampleBucket({ orgId, organization }: OrganizationVisit): Code {
  const bucket = { name: `${organization.slug.slice(0, 48)}-uploads`, public: true };
  return {
    label: texts().buckets.none.code,
    text: `curl -sS ${settings.STORAGE_URL}/v1/buckets \\
  -H "Authorization: Bearer $KEY" \\
  -H "x-tenant-id: ${orgId}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(bucket)}'`,
  };
}

type NewBucket = BucketForm & { name: string };

async function create(visit: OrganizationVisit): Promise<PageAnswer> {
  const { name = '', ...choicesOfForm } = visit.form;
  const typed = { name, ...pickChoices(choicesOfForm) };
  const t = texts().buckets.form;
  const choices = readChoices(typed);
  const stopped =
    rejectChange(visit, formKind, t.lacks) ??
    rejectMissing({ name: typed.name }, { name: t.nameMissing }) ??
    (Object.keys(choices.errors).length > 0 ? refuse(choices.errors) : null);
  if (stopped) return renderNew(visit, typed, stopped);
  const body = { name: typed.name.trim(), ...choices.values };
  const attempt = await submitForm(['name', ...choiceNames], () => callOnce(visit, 'storage.buckets.create', { body }));
  if (attempt.refusal) return renderNew(visit, typed, attempt.refusal);
  return redirectTo(bucketPath(visit, attempt.answer.name, [], { done: 'created' }));
}

function renderNew(visit: OrganizationVisit, typed: NewBucket, refusal?: Refusal): PageAnswer {
  const t = texts().buckets.form;
  const name = {
    name: 'name',
    label: t.name,
    autocomplete: 'off',
    hint: t.nameHint,
    isRequired: true,
    maxLength: 63,
    value: typed.name,
    isFirst: true,
  };
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.lead,
    parents: crumbsTo(visit),
    refusal,
    body:
      renderReadOnly(visit) ??
      renderForm({
        action: pathOf(visit, 'files', ['new']),
        flow: openUserFlow(visit, formKind),
        fields: renderChoices(typed, refusal?.errors, name),
        submit: t.submit,
      }),
  });
}
