import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { flowField } from '../../../web/flow.ts';
import { type Html, html } from '../../../web/html.ts';
import { renderIcon } from '../../../web/icons.ts';
import { singleValues } from '../../../web/list-query.ts';
import type { OrganizationVisit } from '../../../web/organization-page.ts';
import { renderPager } from '../../../web/table.ts';
import { renderWhen } from '../../../web/time.ts';
import { openUserFlow } from '../../../web/user-page.ts';
import { renderZoneSection } from '../../../web/zone.ts';
import { type EditorKind, type Template, templatePath, templatesForm } from './editor-kind.ts';
import { texts } from './texts.ts';

type Version = CallOutput<'mail.templates.versions'>['data'][number];

const shownVersions = '8';

/** Renders the versions of a template, the newest first, each with a link to read it and a button that publishes it. */
export async function renderVersions(kind: EditorKind, visit: OrganizationVisit, template: Template): Promise<Html> {
  const { cursor } = singleValues(visit.query, ['cursor']);
  const { data, nextCursor } = await call(visit.ctx, `${kind.service}.templates.versions`, {
    path: { templateId: template.id },
    query: { limit: shownVersions, ...(cursor && { cursor }) },
  });
  const t = texts().versions;
  const flow = openUserFlow(visit, templatesForm);
  return html`<section aria-labelledby="h-versions">
<div class="sec-head"><h2 id="h-versions">${t.title}</h2></div>
<ol class="line">${data.map((version) => renderVersion(kind, visit, { template, version, flow }))}</ol>
${renderPager({
  next: nextCursor && templatePath(kind, visit, [template.id], { cursor: nextCursor }),
  nextWords: t.older,
  first: cursor === undefined ? null : templatePath(kind, visit, [template.id]),
})}</section>`;
}

type Entry = { template: Template; version: Version; flow: string };

function renderVersion(kind: EditorKind, visit: OrganizationVisit, { template, version: entry, flow }: Entry): Html {
  const { version: words, versions: t } = texts();
  const { version, subject, locales, createdAt } = entry;
  const isLive = version === template.liveVersion;
  const isDraft = !isLive && version === template.latestVersion;
  const query = { version: version === template.latestVersion ? '' : String(version) };
  const href = templatePath(kind, visit, [template.id], query);
  const current = version === template.version && html` aria-current="true"`;
  const name = html`<a href="${href}"${current}><b>${words(version)}</b></a>`;
  const [tone, icon] = isLive
    ? [' good', 'check' as const]
    : isDraft
      ? [' accent', 'edit' as const]
      : ['', 'template' as const];
  const others = locales.length > 0 && html`<span class="sub sub-line">${t.locales(locales.join(', '))}</span>`;
  return html`<li><span class="pip${tone}">${renderIcon(icon, 'xs')}</span><p>${isLive ? t.live(name) : isDraft ? t.draft(name) : name}<span class="sub sub-line"><bdi>${subject ?? t.noSubject}</bdi></span>${others}</p><span class="row">${renderWhen(createdAt)}${visit.mayChange && !isLive && renderPublishing(kind, visit, { template, version: entry, flow })}</span></li>
`;
}

function renderPublishing(kind: EditorKind, visit: OrganizationVisit, { template, version, flow }: Entry): Html {
  const t = texts().versions;
  const action = templatePath(kind, visit, [template.id, 'publish']);
  return html`<form method="post" action="${action}">${flowField(flow)}<input type="hidden" name="version" value="${version.version}"><button class="btn sm" aria-label="${t.publishNamed(version.version)}">${t.publish}</button></form>`;
}

/** Renders the form that deletes a template. */
export function renderRemoving(kind: EditorKind, visit: OrganizationVisit, template: Template): Html {
  const { remove: t, kinds } = texts();
  const { remove: words } = kinds[kind.service];
  const confirmed = {
    id: 'delete-template',
    action: templatePath(kind, visit, [template.id, 'delete']),
    flow: openUserFlow(visit, templatesForm),
    submit: t.submit,
    question: t.question(template.name),
    consequence: words,
    confirm: t.confirm,
  };
  return renderZoneSection({ id: 'h-danger', title: t.zone }, [{ title: t.title, words, confirmed }]);
}
